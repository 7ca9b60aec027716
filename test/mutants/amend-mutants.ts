import type { Mutant } from './mutant.ts'

/** Of orders that are amended. */
export const amendMutants: readonly Mutant[] = [
  {
    id: 'amend-many',
    does: 'amends all orders one by one, however many have moved',
    file: 'src/engine/orders/amend-plan.ts',
    find: 'moved.length > amendMost',
    replace: 'moved.length > 1000',
    suite: ['test/engine/orders/amend-orders.test.ts'],
  },
  {
    id: 'amend-refused',
    does: 'amends orders again at once after the venue has refused to amend one',
    file: 'src/engine/orders/amend-plan.ts',
    find: '|| !reached(state, mine.amendAfter ?? 0)',
    replace: '',
    suite: ['test/engine/orders/amend-orders.test.ts'],
  },
  {
    id: 'amend-gone',
    does: 'takes the answer to the second delivery of an amendment for the absence of its order',
    file: 'src/engine/orders/answers.ts',
    find: "if (answer.refusal === 'gone') return takeGone(context, order, answer.message)",
    replace: '',
    suite: ['test/engine/orders/amend-orders.test.ts'],
  },
  {
    id: 'amend-label',
    does: 'places an order at a level whose old order still rests, after an amendment that was not executed',
    file: 'src/engine/orders/order-progress.ts',
    find: "if (own && replaced && replaced.status !== 'ended') moveBack(state, own, replaced)",
    replace: '',
    suite: ['test/engine/orders/amend-orders.test.ts'],
  },
  {
    id: 'amend-again',
    does: 'places an order whose amendment has no answer',
    file: 'src/engine/orders/unknown-orders.ts',
    find: 'if (order.amends) return false',
    replace: '',
    suite: ['test/engine/orders/amend-orders.test.ts'],
  },
  {
    id: 'amend-names',
    does: 'takes the record of an order that was replaced for that of the new one',
    file: 'src/runtime/account/shared-client-ids.ts',
    find: 'sharing.find(({ venueId }) => venueId === listed.venueId)',
    replace: 'sharing.at(-1)',
    suite: ['test/runtime/account/shared-client-ids.test.ts'],
  },
  {
    id: 'amend-silent',
    does: 'never reports an unknown outcome of an amendment that came too late',
    file: 'src/engine/orders/unknown-orders.ts',
    find: "if (order.status === 'doubtful') reportUnknown(context, order, why)",
    replace: "if (order.status === 'doubtful') continue",
    suite: ['test/engine/orders/amend-orders.test.ts'],
  },
]

import type { Mutant } from './mutant.ts'

/** Of stops that rest at the venue. */
export const stopMutants: readonly Mutant[] = [
  {
    id: 'stop-gap',
    does: 'cancels the old stop before the venue has accepted the new one',
    file: 'src/engine/exits/resting-stop.ts',
    find: 'if (!missing) for (const order of spare)',
    replace: 'for (const order of spare)',
    suite: ['test/engine/exits/resting-stop.test.ts'],
  },
  {
    id: 'stop-offer',
    does: 'leaves nothing for a take profit beside a stop at the venue',
    file: 'src/engine/exits/exit-orders.ts',
    find: "return activation !== undefined && filled === '0'",
    replace: 'return false && activation === filled',
    suite: ['test/engine/exits/resting-stop.test.ts'],
  },
  {
    id: 'stop-open',
    does: 'lets an exit open the other side after the stop has filled',
    file: 'src/engine/exits/exit-orders.ts',
    find: 'reduceOnly = stopRests(ladder.file)',
    replace: 'reduceOnly = false',
    suite: ['test/engine/exits/resting-stop.test.ts'],
  },
  {
    id: 'stop-rest',
    does: 'keeps the rest of a position whose stop has filled in part',
    file: 'src/engine/orders/order-progress.ts',
    find: 'ladder.exits.leave ??= wholeLabels.stop',
    replace: 'ladder.exits.leave ??= null',
    suite: ['test/engine/exits/resting-stop.test.ts'],
  },
  {
    id: 'stop-lost',
    does: 'asks a venue that ends each stop at once again without a pause',
    file: 'src/engine/orders/answers.ts',
    find: 'if (ladder && order.activation === undefined) delete',
    replace: 'if (ladder) delete',
    suite: ['test/engine/exits/resting-stop.test.ts'],
  },
  {
    id: 'stop-cut',
    does: 'takes a stop that the venue has cut to the position for the order of others',
    file: 'src/runtime/account/order-identity.ts',
    find: ' || (sent.reduceOnly === true && isLess(amount, sent.amount))',
    replace: '',
    suite: ['test/runtime/account/order-identity.test.ts'],
  },
  {
    id: 'stop-exposure',
    does: 'counts a stop at the venue as a way to another loss',
    file: 'src/engine/risk/kept-exposure.ts',
    find: 'if (order.activation !== undefined) return',
    replace: '',
    suite: ['test/engine/exits/resting-stop.test.ts'],
  },
]

import { expect } from 'vitest'
import { openId, orderAt, submit, valueOf, type Feature, type Subject } from './subject.ts'

/** One requirement of the port: a number that stays, a plain title, and the proof. */
export type ConformanceCase = {
  id: `C${number}`
  title: string
  needs?: readonly Feature[]
  run: (subject: Subject) => Promise<void>
}

const kindsOf = ({ answers }: { answers: readonly { kind: string }[] }) => answers.map(({ kind }) => kind)

/** Submission: the five outcomes, and the classes of refusals. */
export const submitCases: readonly ConformanceCase[] = [
  {
    id: 'C01',
    title: 'each order of a submission has one answer, in the order of the orders',
    async run(subject) {
      const orders = ['s.g.1.1', 's.g.2.1', 's.g.3.1'].map((id, index) =>
        orderAt(subject, id, { amount: index === 1 ? '0.00000001' : '0.01' }),
      )
      expect(kindsOf(await submit(subject, orders))).toEqual(['accepted', 'refused', 'accepted'])
    },
  },
  {
    id: 'C02',
    title: 'an accepted order has the id of the venue, and states how far it is filled',
    async run(subject) {
      await subject.rival({ side: 'sell', price: '50000', amount: '0.004' })
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1')])
      expect(answers).toMatchObject([
        {
          kind: 'accepted',
          venueId: expect.stringMatching(/./),
          filled: '0.004',
          money: '200',
          ended: false,
        },
      ])
    },
  },
  {
    id: 'C03',
    title: 'an order that may not rest has ended when it is answered',
    async run(subject) {
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1', { ioc: true })])
      expect(answers).toMatchObject([{ kind: 'accepted', filled: '0', ended: true }])
    },
  },
  {
    id: 'C04',
    title: 'a refusal of an order that breaks a rule of its market is classified breaks-rule',
    async run(subject) {
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1', { amount: '0.00000001' })])
      expect(answers).toMatchObject([{ kind: 'refused', alreadyUsed: false, refusal: 'breaks-rule' }])
    },
  },
  {
    id: 'C05',
    title: 'a refusal of a post-only order that would trade is classified would-take',
    async run(subject) {
      await subject.rival({ side: 'sell', price: '50000', amount: '0.01' })
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1', { postOnly: true })])
      expect(answers).toMatchObject([{ kind: 'refused', refusal: 'would-take' }])
    },
  },
  {
    id: 'C06',
    title: 'a refusal for lack of money is classified no-funds',
    async run(subject) {
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1', { amount: '150' })])
      expect(answers).toMatchObject([{ kind: 'refused', refusal: 'no-funds' }])
    },
  },
  {
    id: 'C07',
    title: 'with stopOnFail, orders behind an order that is not accepted are not-attempted and not placed',
    needs: ['openOrders'],
    async run(subject) {
      const orders = [
        orderAt(subject, 's.g.1.1'),
        orderAt(subject, 's.g.2.1', { amount: '0.00000001' }),
        orderAt(subject, 's.g.3.1'),
      ]
      const told = await submit(subject, orders, { stopOnFail: true })
      expect(kindsOf(told)).toEqual(['accepted', 'refused', 'not-attempted'])
      expect(await openId(subject, 's.g.3.1')).toBeUndefined()
    },
  },
  {
    id: 'C08',
    title: 'an order whose submission was aborted before it was sent is not-sent',
    async run(subject) {
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1')], {
        signal: AbortSignal.abort(),
      })
      expect(answers).toMatchObject([{ kind: 'not-sent' }])
    },
  },
  {
    id: 'C09',
    title: 'an order without an answer is unknown, and is submitted once',
    needs: ['openOrders'],
    async run(subject) {
      subject.fault('answer lost')
      expect(kindsOf(await submit(subject, [orderAt(subject, 's.g.1.1')]))).toEqual(['unknown'])
      const { orders } = await valueOf(subject.venue.account.openOrders())
      expect([...orders.values()].map(({ id }) => id)).toEqual(['s.g.1.1'])
    },
  },
  {
    id: 'C10',
    title: 'an order whose request was lost on its way is unknown: the adapter cannot tell',
    async run(subject) {
      subject.fault('lost')
      expect(kindsOf(await submit(subject, [orderAt(subject, 's.g.1.1')]))).toEqual(['unknown'])
    },
  },
  {
    id: 'C11',
    title: 'an order that the rate limit of the venue stopped is not-sent',
    async run(subject) {
      subject.fault('throttled')
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1')])
      expect(answers).toMatchObject([{ kind: 'not-sent', cause: 'throttled' }])
    },
  },
  {
    id: 'C12',
    title: 'a refusal of a used client order id says alreadyUsed: it does not prove that there is no order',
    needs: ['usedIds'],
    async run(subject) {
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const { answers } = await submit(subject, [orderAt(subject, 's.g.1.1', { price: '49000' })])
      expect(answers).toMatchObject([{ kind: 'refused', alreadyUsed: true }])
    },
  },
]

/** Cancellation, and what proves where an order is. */
export const cancelCases: readonly ConformanceCase[] = [
  {
    id: 'C20',
    title:
      'an open order is cancelled by the id of the venue, and its part fill is known with the cancellation',
    needs: ['cancel', 'openOrders'],
    async run(subject) {
      const { market, venue } = subject
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      await subject.rival({ side: 'sell', price: '50000', amount: '0.004' })
      const venueId = (await openId(subject, 's.g.1.1')) ?? ''
      const wanted = { market, ids: new Set(['s.g.1.1']), isOurs: () => true }
      const { results, ends } = await venue.cancel([{ market, venueId }], [wanted])
      expect(results).toMatchObject([{ outcome: 'canceled' }])
      expect(ends.get('s.g.1.1')).toMatchObject({ venueId, progress: { filled: '0.004', ended: true } })
      expect(await openId(subject, 's.g.1.1')).toBeUndefined()
    },
  },
  {
    id: 'C21',
    title: 'an order that is not open any more is gone',
    needs: ['cancel', 'openOrders'],
    async run(subject) {
      const { market, venue } = subject
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const venueId = (await openId(subject, 's.g.1.1')) ?? ''
      await venue.cancel([{ market, venueId }], [])
      const { results } = await venue.cancel([{ market, venueId }], [])
      expect(results).toMatchObject([{ outcome: 'gone' }])
    },
  },
  {
    id: 'C22',
    title: 'a cancellation without an answer is unknown',
    needs: ['cancel', 'openOrders'],
    async run(subject) {
      const { market, venue } = subject
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const venueId = (await openId(subject, 's.g.1.1')) ?? ''
      subject.disconnect()
      const { results } = await venue.cancel([{ market, venueId }], [])
      expect(results).toHaveLength(1)
      expect(['unknown', 'refused']).toContain(results[0]?.outcome)
    },
  },
  {
    id: 'C23',
    title: 'after the fence, an order that was submitted before is in a list if it was placed',
    needs: ['openOrders'],
    async run(subject) {
      subject.fault('answer lost')
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      expect(await subject.venue.fence(async () => true)).toBe(true)
      expect(await openId(subject, 's.g.1.1')).toBeDefined()
    },
  },
  {
    id: 'C24',
    title: 'without the venue there is no fence',
    async run(subject) {
      subject.disconnect()
      expect(await subject.venue.fence(async () => true)).toBe(false)
    },
  },
  {
    id: 'C25',
    title: 'a cancellation that the rate limit of the venue stopped is throttled',
    needs: ['cancel', 'openOrders'],
    async run(subject) {
      const { market, venue } = subject
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const venueId = (await openId(subject, 's.g.1.1')) ?? ''
      subject.fault('throttled', 'cancel')
      const { results } = await venue.cancel([{ market, venueId }], [])
      expect(results).toMatchObject([{ outcome: 'throttled' }])
      expect(await openId(subject, 's.g.1.1')).toBeDefined()
    },
  },
]

import { expect } from 'vitest'
import type { ConformanceCase } from './order-cases.ts'
import { openId, orderAt, submit, valueOf, type Subject } from './subject.ts'

function conditionalAt(
  subject: Subject,
  id: string,
  about: { amount?: string } = {},
): ReturnType<typeof orderAt> {
  const stop = { side: 'sell', role: 'exit', price: '49000', activation: '49000', reduceOnly: true } as const
  return orderAt(subject, id, { ...stop, ...about })
}

function replacementOf(
  subject: Subject,
  venueId: string,
  about: { price?: string; amount?: string } = {},
): ReturnType<typeof orderAt> {
  return orderAt(subject, 's.g.1.2', { amends: { id: 's.g.1.1', venueId, clientId: 's.g.1.1' }, ...about })
}

/** Orders that have a request of their own: conditional ones, and those that replace another order. */
export const singleCases: readonly ConformanceCase[] = [
  {
    id: 'C13',
    title: 'a conditional order waits, is listed with the price that activates it, and can be cancelled',
    needs: ['conditionalOrders', 'openOrders', 'cancel'],
    async run(subject) {
      const { market } = subject
      expect((await submit(subject, [conditionalAt(subject, 's.g.st.1')])).answers).toMatchObject([
        { kind: 'accepted', filled: '0', ended: false },
      ])
      const { orders } = await valueOf(subject.venue.account.openOrders())
      const [listed] = orders.values()
      expect(listed).toMatchObject({ id: 's.g.st.1', side: 'sell', activation: '49000', amount: '0.01' })
      const venueId = listed?.venueId ?? ''
      expect((await subject.venue.cancel([{ market, venueId }], [])).results).toMatchObject([
        { outcome: 'canceled' },
      ])
      expect(await openId(subject, 's.g.st.1')).toBeUndefined()
    },
  },
  {
    id: 'C14',
    title:
      'an activated conditional order closes at most the position, and keeps its id and its activation price',
    needs: ['conditionalOrders'],
    async run(subject) {
      await subject.rival({ side: 'sell', price: '50000', amount: '0.01' })
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      await submit(subject, [conditionalAt(subject, 's.g.st.1', { amount: '0.03' })])
      await subject.rival({ side: 'buy', price: '48900', amount: '0.05' })
      // The last price falls to it.
      await subject.rival({ side: 'sell', price: '48900', amount: '0.01' })
      const { orders } = await valueOf(subject.venue.account.endedOrders(0))
      expect([...orders.values()].find(({ id }) => id === 's.g.st.1')).toMatchObject({
        side: 'sell',
        activation: '49000',
        progress: { filled: '0.01', money: '489', ended: true },
      })
    },
  },
  {
    id: 'C15',
    title:
      'an order that replaces another one has a new id of the venue and the client order id of the old one',
    needs: ['amend', 'openOrders'],
    async run(subject) {
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      await subject.rival({ side: 'sell', price: '50000', amount: '0.004' })
      const venueId = (await openId(subject, 's.g.1.1')) ?? ''
      const { answers } = await submit(subject, [replacementOf(subject, venueId, { price: '49000' })])
      expect(answers).toMatchObject([{ kind: 'accepted', filled: '0', ended: false }])
      const next = await openId(subject, 's.g.1.1')
      expect(next).not.toBe(venueId)
      expect(answers).toMatchObject([{ venueId: next }])
      const { orders } = await valueOf(subject.venue.account.openOrders())
      expect(orders.get(next ?? '')).toMatchObject({ price: '49000', amount: '0.01' })
      const { orders: ended } = await valueOf(subject.venue.account.endedOrders(0))
      expect(ended.get(venueId)).toMatchObject({ id: 's.g.1.1', progress: { filled: '0.004', ended: true } })
    },
  },
  {
    id: 'C16',
    title: 'an order that should replace one that is not open is refused, and the refusal is classified gone',
    needs: ['amend', 'openOrders', 'cancel'],
    async run(subject) {
      const { market, venue } = subject
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const venueId = (await openId(subject, 's.g.1.1')) ?? ''
      await venue.cancel([{ market, venueId }], [])
      const { answers } = await submit(subject, [replacementOf(subject, venueId)])
      expect(answers).toMatchObject([{ kind: 'refused', refusal: 'gone' }])
      expect(await openId(subject, 's.g.1.1')).toBeUndefined()
    },
  },
  {
    id: 'C17',
    title: 'a replacement that is refused leaves the order open',
    needs: ['amend', 'openOrders'],
    async run(subject) {
      await submit(subject, [orderAt(subject, 's.g.1.1')])
      const venueId = (await openId(subject, 's.g.1.1')) ?? ''
      const { answers } = await submit(subject, [
        replacementOf(subject, venueId, { amount: '0.00000001' }),
        orderAt(subject, 's.g.2.1', { price: '49000' }),
      ])
      expect(answers).toMatchObject([{ kind: 'refused', refusal: 'breaks-rule' }, { kind: 'accepted' }])
      expect(await openId(subject, 's.g.1.1')).toBe(venueId)
    },
  },
]

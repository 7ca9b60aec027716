import { expect, test } from 'vitest'
import { identityOf, type Sent } from '#src/runtime/account/order-identity.ts'
import type { ListedOrder } from '#src/venue/port.ts'

const clock = { speed: 1, isSure: () => true }
const sent: Sent = {
  id: 's.g.st.1',
  market: 'BTC_PERP',
  side: 'sell',
  price: '49000',
  amount: '0.02',
  sentAt: 1000,
  venueId: null,
  activation: '49000',
  reduceOnly: true,
}
const listed: ListedOrder = {
  venueId: '7',
  id: 's.g.st.1',
  market: 'BTC_PERP',
  side: 'sell',
  price: null,
  activation: '49000.0',
  amount: '0.02',
  placedAt: 1100,
  endedAt: null,
  progress: { venueId: '7', filled: '0', money: '0', fee: '0', ended: false },
  text: '',
}

test.each<[string, Partial<ListedOrder>, string]>([
  ['waits without a price', {}, 'ours'],
  ['has traded at a price of the venue', { price: '48412.5', endedAt: 2000 }, 'ours'],
  ['was cut to the position', { amount: '0.013' }, 'ours'],
  ['is larger than ours', { amount: '0.03' }, 'other'],
  ['waits for another price', { activation: '49001' }, 'other'],
  ['waits for no price', { activation: undefined, price: '49000' }, 'other'],
])('a conditional order that %s', (_, about, identity) => {
  expect(identityOf(sent, { ...listed, ...about }, clock)).toBe(identity)
})

test('an order that may open a position is not cut by a venue', () => {
  const { activation: _, reduceOnly: __, ...limit } = sent
  const rests = { ...listed, price: '49000', activation: undefined }
  expect(identityOf(limit, rests, clock)).toBe('ours')
  expect(identityOf(limit, { ...rests, amount: '0.013' }, clock)).toBe('other')
  expect(identityOf({ ...limit, reduceOnly: true }, { ...rests, amount: '0.013' }, clock)).toBe('ours')
})

import { expect, test } from 'vitest'
import { cancelsOf, Desk, fileOf } from './desk.ts'

/** Eight buys below a price that has slid. */
function averaging(text = fileOf('dca-take-profit')): Desk {
  const desk = new Desk([text])
  desk.quote('SOL_PERP', 150, 0.02)
  desk.settle(
    desk.past(
      'SOL_PERP',
      '1m',
      Array.from({ length: 40 }, (_, minute) => 156 - minute * 0.15),
    ),
  )
  return desk
}

test('the first crumb of an entry ends no episode, though it is too small to be sold by itself', () => {
  const desk = averaging()
  expect(desk.resting()).toHaveLength(8)
  const step = desk.fill('dcam.safety.1.1', 0.1)
  expect(cancelsOf(step)).toEqual([])
  expect(desk.notes()).not.toContain('episode-closed')
  expect(desk.resting()).toHaveLength(8)
  desk.fill('dcam.safety.1.1', 0.9)
  desk.at += 1000
  const { position } = desk.ladder('dcam', 'safety').held
  const [exit] = desk.settle(desk.quote('SOL_PERP', 155, 0.02))
  expect(exit).toMatchObject({ side: 'sell', amount: position })
})

test('a crumb that is left of all that was sold ends it', () => {
  const desk = averaging()
  desk.fill('dcam.safety.1.1')
  desk.at += 1000
  const [sale] = desk.quote('SOL_PERP', 155, 0.02).commands
  if (sale?.kind !== 'submit') throw new Error('nothing is sold')
  const amount = Number(sale.orders[0]?.amount)
  desk.tell({
    kind: 'answered',
    chunk: sale.chunk,
    orders: [
      { kind: 'accepted', venueId: '9', filled: String(amount - 0.01), money: '30', fee: '0', ended: true },
    ],
  })
  expect(desk.notes()).toContain('episode-closed')
})

test('an entry that an episode has left half filled is laid anew, though its price is the same', () => {
  const text = fileOf('dca-take-profit')
    .replace('cooldown: 15m', '')
    .replace('rsi(px, 14) < 40', 'last(px) > 0')
  const desk = averaging(text)
  desk.fill('dcam.safety.1.1', 0.6)
  desk.at += 1000
  desk.settle(desk.quote('SOL_PERP', 155, 0.02))
  // The next episode begins at once, at the close of the same minute.
  const { amount, price } = desk.order('dcam.safety.1.1')
  expect(desk.order('dcam.safety.1.2')).toMatchObject({ amount, price, filled: '0', status: 'resting' })
  expect(desk.order('dcam.safety.2.1').status).toBe('resting')
})

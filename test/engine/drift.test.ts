import { expect, test } from 'vitest'
import { Desk, fileOf } from './desk.ts'

const positions = (amount: string) => ({ BTC_USDT: { long: amount, short: '0' } })

function grid(): Desk {
  const desk = new Desk([fileOf('static-grid')])
  desk.quote('BTC_USDT', 60_000)
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  return desk
}

test('orders of others are told of, each by itself', () => {
  const { notes } = grid().tell({ kind: 'foreign', orders: ['one', 'another'] })
  expect(notes).toMatchObject([
    { type: 'drift', message: 'An order that no strategy has placed: one' },
    { type: 'drift', message: 'An order that no strategy has placed: another' },
  ])
})

test('positions must be what was there and what our fills come to; a lasting difference is told once', () => {
  const desk = grid()
  const told = (amount: string) => desk.tell({ kind: 'positions', held: positions(amount) }).notes
  expect(told('0.5')).toEqual([])
  desk.fill('sgrid.grid.b1.1')
  const { filled } = desk.order('sgrid.grid.b1.1')
  // One reading that has not heard of the fill, or heard of it first, is nothing.
  expect([told('0.5'), told('0.5'), told(String(0.5 + Number(filled)))].flat()).toEqual([])
  expect([told('0.4'), told('0.4'), told('0.4'), told('0.4')].map(({ length }) => length)).toEqual([
    0, 0, 1, 0,
  ])
  expect([told('0.3'), told('0.3'), told('0.3')].flat()).toMatchObject([
    { type: 'drift', message: expect.stringContaining('in BTC_USDT') },
  ])
})

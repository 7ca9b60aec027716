import { expect, test } from 'vitest'
import { excesses } from '#src/research/simulate/bounds.ts'

const at = 1_000_000
const about = { waiting: 0, reads: 5 }

/** `count` orders of two rungs that ended so long ago, or are open. */
function ordersOf(count: number, endedMsAgo?: number) {
  const endedAt = endedMsAgo === undefined ? null : at - endedMsAgo
  const status = endedAt === null ? ('resting' as const) : ('ended' as const)
  const ids = Array.from({ length: count }, (_, n) => `s.grid.b${n % 2}.${n}`)
  return Object.fromEntries(ids.map((id) => [id, { id, strategy: 's', status, endedAt }]))
}

test('a strategy remembers 300 old orders and one of each rung, and any number of new ones', () => {
  expect(excesses({ at, chunks: {}, orders: ordersOf(302, 300_000) }, about)).toEqual([])
  expect(excesses({ at, chunks: {}, orders: ordersOf(303, 300_000) }, about)).toEqual([
    's remembers 303 old orders of 2 rungs and exits',
  ])
  expect(excesses({ at, chunks: {}, orders: ordersOf(1000, 60_000) }, about)).toEqual([])
})

test('one request waits for each open order and each kind of read', () => {
  const state = { at, chunks: {}, orders: { ...ordersOf(100, 60_000), ...ordersOf(3) } }
  expect(excesses(state, { waiting: 8, reads: 5 })).toEqual([])
  expect(excesses(state, { waiting: 9, reads: 5 })).toEqual(['9 requests wait in the client, for 3 orders'])
})

test('no more bulks are in flight than orders that are open or ended a short time ago', () => {
  const chunk = { strategy: 's', sentAt: at, ids: [] }
  expect(excesses({ at, chunks: { 1: chunk, 2: chunk }, orders: ordersOf(2) }, about)).toEqual([])
  expect(excesses({ at, chunks: { 1: chunk, 2: chunk, 3: chunk }, orders: ordersOf(2) }, about)).toEqual([
    '3 requests are in flight for 2 orders',
  ])
  // Seed 20261743: a list shows the end of the order before the answer to its request arrives.
  expect(excesses({ at, chunks: { 1: chunk }, orders: ordersOf(1, 1000) }, about)).toEqual([])
  expect(excesses({ at, chunks: { 1: chunk }, orders: ordersOf(1, 300_000) }, about)).toEqual([
    '1 requests are in flight for 0 orders',
  ])
})

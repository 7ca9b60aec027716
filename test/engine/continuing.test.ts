import { expect, test } from 'vitest'
import { continuingFaults } from '#src/engine/continuing.ts'
import { readStrategy } from '#src/strategy/read.ts'
import { Desk, fileOf } from './desk.ts'

const text = fileOf('static-grid')

/** What is said of a text with this instead of that, after so much has happened. */
function said(desk: Desk, from: string, to: string): string[] {
  expect(text).toContain(from)
  const able = text.replace('needs: [bulk,', 'needs: [bulk, position_side_short,')
  const read = readStrategy(new TextEncoder().encode(able.replaceAll(from, to)))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  return continuingFaults(desk.engine.state, read.strategy).map(
    ({ path, message }) => `${path.map(String).join(',')}: ${message}`,
  )
}

test('a name keeps its market as long as orders of it rest or something is held under it', () => {
  const desk = new Desk([text])
  const change = ['symbol: BTC_USDT', 'symbol: ETH_USDT'] as const
  expect(said(desk, ...change)).toEqual([])
  desk.settle(desk.candle('BTC_USDT', '1m', 60_000))
  expect(said(desk, ...change)).toEqual([
    'markets,btc: orders rest under the name "btc", which means BTC_USDT long',
  ])
  desk.settle(desk.fill('sgrid.grid.b1.1'))
  const held = 'something is held under the name "btc", which means BTC_USDT long'
  expect(said(desk, ...change)).toEqual([`markets,btc: ${held}`])
  expect(said(desk, 'btc', 'coin')).toEqual([`markets: ${held}`])
  expect(said(desk, 'symbol: BTC_USDT', 'symbol: BTC_USDT, positionSide: short')).toEqual([
    `markets,btc: ${held}`,
  ])
  expect(said(desk, 'max_open_orders: 24', 'max_open_orders: 20')).toEqual([])
})

import { expect, test } from 'vitest'
import { readStream } from '#test/support/stream-reader.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { recordedFile } from '#test/exchange/simulation/recorded-fixture.ts'
import { beginsAt, paperWorld } from '#test/exchange/exchange-fixture.ts'

function trade(id: number, time: number, price: string, amount: string, type: string): unknown {
  return { id, time, price, amount, type, rpi: false }
}

test('streams report each passed point of a recorded market to their subscribers', async () => {
  const clock = new ManualClock(beginsAt)
  const file = recordedFile('SOL_PERP', [
    [0, 100, 1],
    [510, 100.5, 2],
    [550, 100.4, 3],
    [1000, 101, 0.5],
    [60_000, 99],
  ])
  const running = await startExchange({
    world: paperWorld,
    clock,
    profile: 'full',
    sources: { seeded: false, recorded: { files: [file], fill: 'touch', moved: true } },
  })
  const reader = await readStream(running.wsUrl)
  const at = beginsAt / 1000
  async function beat(count: number): Promise<void> {
    for (let beats = 0; beats < count; beats++) {
      clock.advance(100)
      await reader.ask('ping')
    }
  }
  expect(await reader.ask('lastprice_request', 'SOL_PERP')).toBe('100')
  await reader.ask('trades_subscribe', 'SOL_PERP')
  expect(await reader.take('trades')).toMatchObject([['SOL_PERP', [{ id: 1, time: at, price: '100' }]]])
  await reader.ask('bookTicker_subscribe', 'SOL_PERP')
  expect(await reader.take('bookTicker')).toMatchObject([[[at, at, 'SOL_PERP', 2, '100', {}, '100.01', {}]]])
  await reader.ask('depth_subscribe', 'SOL_PERP', 5, '0')
  await reader.ask('lastprice_subscribe', 'SOL_PERP')
  await reader.ask('candles_subscribe', 'SOL_PERP', 60)
  for (const channel of ['depth', 'lastprice', 'candles']) await reader.take(channel)

  await beat(6)
  const [both] = await reader.take('trades')
  expect(both).toEqual([
    'SOL_PERP',
    [trade(3, at + 0.55, '100.4', '3', 'sell'), trade(2, at + 0.51, '100.5', '2', 'buy')],
  ])
  expect(await reader.take('bookTicker')).toMatchObject([
    [[{}, {}, 'SOL_PERP', {}, '100.4', {}, '100.41', {}]],
  ])
  await beat(4)
  expect(await reader.rest('lastprice')).toEqual([['SOL_PERP', '101']])
  const start = at - (at % 60)
  const candles = (await reader.rest('candles')).at(-1)
  expect(candles).toEqual([[start, '100', '101', '101', '100', '6.5', '652.7', 'SOL_PERP']])
  const depth = (await reader.rest('depth')).at(-1)
  const asks = [
    ['100.41', '0'],
    ['101.01', '99000'],
  ]
  const bids = [
    ['101', '99009.9'],
    ['100.4', '0'],
  ]
  expect(depth).toMatchObject([false, { asks, bids }, 'SOL_PERP'])
  await reader.close()
  await running.close()
})

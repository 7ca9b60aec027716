import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { rungs, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'

/** A minute of the market takes a second here. */
const speed = 60
const minuteMs = 60_000
const begin = Date.UTC(2026, 0, 5)

/**
 * Half a minute here for a bot to start, a third of a minute to place its second order. In prices: calm, a fall through
 * 59 700, a rise through 60 297, calm, a fall through 59 700 and through 58 506, calm.
 */
const bars = [
  ...calm(60_000, 30),
  [60_000, 60_010, 59_500, 59_520],
  [59_520, 60_400, 59_500, 60_390],
  ...calm(60_390, 20),
  [60_390, 60_400, 59_400, 59_450],
  [59_450, 59_460, 58_200, 58_250],
  ...calm(58_250, 4),
]

function calm(price: number, minutes: number): number[][] {
  return Array.from({ length: minutes }, () => [price, price + 5, price - 5, price])
}

/**
 * The cooldown outlasts the file: one candle that is read a second late would keep the rule true after the stop, and the
 * ladder would begin once more.
 */
const strategy = `
version: 1
name: bars
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: { source: candles, market: btc, interval: 1m, stale_after: 10m } }
ladder:
  one:
    market: btc
    side: buy
    anchor: 60000
    levels: 1
    spacing: { kind: arithmetic, first: 0.5%, step: 1% }
    size: { total: 600 quote }
    exit: { tp: { pct: 1% }, stop: { pct: 2% }, cooldown: 1d }
rules:
  - { id: place, when: last(px) > 59900, do: [ensure: one] }
${guards}`

type Fill = { at: number; side: string; price: number; amount: number; maker: boolean }

/** The price so many milliseconds after the beginning, by the rule of docs/backtesting.md, in tenths. */
function priceAt(ms: number): number {
  const bar = Math.min(Math.floor(ms / minuteMs), bars.length - 1)
  const [open = 0, high = 0, low = 0, close = 0] = bars[bar] ?? []
  const inner = high - open < open - low ? [high, low] : [low, high]
  const points = [open, ...inner, close].map((price) => BigInt(price) * 10n ** 9n)
  const times = [0, 15_000, 45_000, 59_999]
  const after = Math.min(ms - bar * minuteMs, 59_999)
  const line = times.findLastIndex((time, place) => time <= after && place < 3)
  const [from = 0n, to = 0n] = points.slice(line)
  const [begins = 0, ends = 1] = times.slice(line)
  const units = from + ((to - from) * BigInt(after - begins)) / BigInt(ends - begins)
  return Math.round(Number(units) / 1e8)
}

const kinds = (fills: readonly Fill[]) => fills.map(({ side, amount, maker }) => ({ side, amount, maker }))

const fill = z.looseObject({
  at: z.number(),
  side: z.string(),
  price: z.string(),
  amount: z.string(),
  maker: z.boolean(),
})
const deals = z.array(
  z.looseObject({
    time: z.number(),
    side: z.string(),
    price: z.string(),
    amount: z.string(),
    role: z.number(),
  }),
)

// A minute in which next to nothing is done.
test.runIf(isSlowRun)(
  'a bot and an exchange of processes of their own fill on the lines of bars as a backtest does',
  async () => {
    using folder = temporaryFolder()
    const [file, market] = [folder.file('bars.yaml'), folder.file('BTC_PERP.csv')]
    writeFileSync(file, strategy)
    const rows = bars.map((bar, index) => [begin + index * minuteMs, ...bar, 100].join())
    writeFileSync(market, `timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`)

    const past = await rungs(['backtest', file, '--market', market, '--latency', '50ms', '--json'])
    const lines: unknown[] = past.stdout
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    const expected = lines.slice(0, -1).map((line): Fill => {
      const { at, side, price, amount, maker } = fill.parse(line)
      return { at: at - begin, side, price: Number(price), amount: Number(amount), maker }
    })
    expect(expected.map(({ side, maker, price }) => (maker ? `${side} at ${price}` : side))).toEqual([
      'buy at 59700',
      'sell',
      'buy at 59700',
      'sell',
    ])

    await using exchange = await startExchange([
      '--profile',
      'full',
      '--market',
      market,
      '--speed',
      String(speed),
    ])
    const venue = folder.file('venue.yaml')
    writeFileSync(
      venue,
      readFileSync('config/paper.yaml', 'utf8')
        .replace(/^url: .*$/m, `url: ${exchange.url}`)
        .replace(/^euUrl: .*$/m, `euUrl: ${exchange.euUrl}`),
    )
    const state = ['--state-dir', folder.file('state')]
    await using bot = startBot([file, '--venue', venue, '--speed', String(speed), ...state])
    await bot.said(
      (line) => isType('fill')(line) && bot.lines.filter(isType('fill')).length === expected.length,
    )
    const asked = await rungs([
      'api',
      'executed-history',
      '--market',
      'BTC_PERP',
      '--venue',
      venue,
      '--json',
      ...state,
    ])
    const found = deals.parse(JSON.parse(asked.stdout)).reverse()
    // The exchange moves the first row of the file to the moment of its start.
    const moved = Math.round((found[0]?.time ?? 0) * 1000) - (expected[0]?.at ?? 0)
    const live = found.map(({ time, side, price, amount, role }): Fill => ({
      at: Math.round(time * 1000) - moved,
      side,
      price: Number(price),
      amount: Number(amount),
      maker: role === 1,
    }))
    expect(kinds(live)).toEqual(kinds(expected))
    for (const [index, { at, price, maker }] of live.entries()) {
      const other = expected[index]
      if (maker) {
        // An order that rests meets its price in the same millisecond.
        expect({ at, price }).toEqual({ at: other?.at, price: other?.price })
        continue
      }
      // The order of the backtest arrived 50 ms after the price had reached the level, this one when a request arrives.
      const reached = (other?.at ?? 0) - 50
      expect(at).toBeGreaterThan(reached)
      const between = Array.from({ length: at - reached + 1 }, (_, ms) => priceAt(reached + ms) / 10)
      expect(price).toBe(between.at(-1))
      const moves = Math.max(...between) - Math.min(...between)
      expect(Math.abs(price - (other?.price ?? 0))).toBeLessThanOrEqual(moves + 0.1)
    }
  },
)

import { beforeAll, describe, expect, test } from 'vitest'
import type { BacktestResult } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { normal, chanceOf } from '#src/exchange/simulation/random.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder } from '#test/market/data/market-fixture.ts'
import { seed, times } from '#test/properties/runs.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { monday } from './generated-market.ts'

const { fileOf } = marketFolder()

const minuteMs = 60_000
const hourMs = 3_600_000
const latencyMs = 50
const tick = 0.1
const share = 0.005
const paths = times(50, 50, 3)

type Bar = [open: number, high: number, low: number, close: number]

/** Three days of a mean-reverting random walk in minutes; prices in tenths. */
function minutesOf(number: number): Bar[] {
  const chance = chanceOf(String(number), 'bar lengths')
  let price = 60_000
  return Array.from({ length: 3 * 24 * 60 }, () => {
    const seen = Array.from({ length: 6 }, () => {
      price += normal(chance) * 18 + (60_000 - price) * 0.0004
      return Math.round(price * 10) / 10
    })
    return [seen[0]!, Math.max(...seen), Math.min(...seen), seen[5]!]
  })
}

function hoursOf(minutes: readonly Bar[]): Bar[] {
  return Array.from({ length: minutes.length / 60 }, (_, hour) => {
    const within = minutes.slice(60 * hour, 60 * hour + 60)
    const [highs, lows] = [within.map(([, high]) => high), within.map(([, , low]) => low)]
    return [within[0]![0], Math.max(...highs), Math.min(...lows), within.at(-1)![3]]
  })
}

/** Averages down around 60 000, and sells everything half a percent above the average. */
const strategy = (mode: string) => `
version: 1
name: down
needs: [bulk, history, balance, cancel]
markets: { btc: { symbol: BTC_PERP } }
feeds: {}
ladder:
  down:
    market: btc
    side: buy
    anchor: 60000
    levels: 4
    spacing: { kind: arithmetic, first: 0.3%, step: 0.5% }
    size: { total: 4000 quote }
    exit: { tp: { pct: 0.5%, mode: ${mode} } }
rules:
  - { id: always, when: 1 < 2, do: [ensure: down] }
${guards}`

function played(bars: readonly Bar[], barMs: number, mode: string): Promise<BacktestResult> {
  const rows = bars.map((bar, index) => [monday + index * barMs, ...bar].join())
  const market = readMarket(fileOf(`timestamp,open,high,low,close\n${rows.join('\n')}\n`))
  return runBacktest({
    strategies: [{ path: 'down.yaml', text: strategy(mode) }],
    markets: new Map([['', market]]),
    balance: '100000',
    // The same for both, so that only the exits differ.
    fees: { maker: '0.0002', taker: '0.0002' },
    latencyMs,
    fill: 'through',
    seed: 'a',
  })
}

const modes = ['on_touch_ioc', 'resting'] as const
const ratios: Record<(typeof modes)[number], number[]> = { on_touch_ioc: [], resting: [] }
const taken: { bars: readonly Bar[]; barMs: number; fills: BacktestResult['fills'] }[] = []

beforeAll(async () => {
  for (let number = seed; number < seed + paths; number++) {
    const minutes = minutesOf(number)
    const hours = hoursOf(minutes)
    for (const mode of modes) {
      const [short, long] = [await played(minutes, minuteMs, mode), await played(hours, hourMs, mode)]
      ratios[mode].push(Number(long.summary.netProfit) / Number(short.summary.netProfit))
      if (mode === 'on_touch_ioc')
        taken.push(
          { bars: minutes, barMs: minuteMs, fills: short.fills },
          { bars: hours, barMs: hourMs, fills: long.fills },
        )
    }
  }
})

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function errorOf(values: readonly number[]): number {
  const mean = meanOf(values)
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Math.sqrt(squares / (values.length - 1) / values.length)
}

describe(`${paths} random paths, on bars of an hour and of a minute`, () => {
  test('longer bars do not favour exits on touch over resting exits', () => {
    const [touch, rest] = [meanOf(ratios.on_touch_ioc), meanOf(ratios.resting)]
    expect(Math.abs(touch - rest)).toBeLessThanOrEqual(2 * errorOf(ratios.resting))
  })

  test('each exit fills at its level, except for the move during the latency and at opens', () => {
    let exits = 0
    for (const { bars, barMs, fills } of taken) {
      let [amount, cost] = [0, 0]
      for (const fill of fills) {
        const [size, price] = [Number(fill.amount), Number(fill.price)]
        if (fill.side === 'buy') {
          amount += size
          cost += size * price
          continue
        }
        exits += 1
        const level = (cost / amount) * (1 + share)
        amount = cost = 0
        const sentAt = fill.at - latencyMs - monday
        // The price may jump in the first second of the file and at each open.
        if (sentAt % barMs === 0) continue
        const [, high, low] = bars[Math.floor(sentAt / barMs)]!
        // No line is shorter than a quarter of the bar, or longer than from low to high.
        const moves = ((high - low) / (barMs / 4 - 1)) * latencyMs
        expect(Math.abs(price - level)).toBeLessThanOrEqual(moves + 2 * tick)
      }
    }
    expect(exits).toBeGreaterThan(10 * paths)
  })
})

import { guards } from '#test/strategy/required-limits.ts'
import { madeBars } from '#test/research/backtest/market/generated-market.ts'
import { closes, gridFile } from './grid.ts'
import { inTurns, type Job, type Timed } from './jobs.ts'
import { report } from './report.ts'

/** Of a price that moves by 2.5 % a day. */
export const ordinary = 0.025 / Math.sqrt(1440)

const marketOf = (minutes: number, pace: number): Job['markets'] =>
  new Map([['BTC_USDT', madeBars({ seed: 3, minutes, price: 60_000, pace: pace * ordinary })]])

/** Lines that are 60 apart. */
function lines(levels: number) {
  const reach = 30 * (levels - 1)
  return { levels, from: 60_000 - reach, to: 60_000 + reach, total: levels * 20 }
}

const limits = guards
  .replace(
    'max_notional:',
    'per_week: 1000000\n  daily_loss: 50000\n  max_position: { btc: 50 }\n  max_notional:',
  )
  .replace('max_open_orders', 'price_band: 20%\n  order_rate: { orders: 1000, per: 1m }\n  max_open_orders')
const exits = '{ tp: { pct: 0.1% }, stop: { pct: 9% }, max_age: 90d }'
const wide = { levels: 101, from: 30_000, to: 90_000 }
const narrow = { from: 48_000, to: 72_000, total: 30_000 }
const blocked = gridFile({ ...wide, total: 90_000 }).replace('total: 100000', 'total: 20000')
const ruled = (when: string) => gridFile({ ...narrow, levels: 101, feeds: closes, when })
const indicators = 'rsi(px, 14) < 101 && last(px) > 0.5 * sma(px, 50) && atr(px, 14) < 5000'

type Limits = { atMost: number; wanted: number }
type Row = [what: string, text: string, of: 'fill' | 'run', Limits]
const usual: Limits = { atMost: 2, wanted: 1.3 }

/** Grids on one market against the first one. `of`: what the ratio is of, the time of a fill or of the whole run. */
const comparisons: { market: Job['markets']; plain: string; rows: readonly Row[] }[] = [
  {
    // Two weeks within the lines of the small grid.
    market: marketOf(20_160, 0.3),
    plain: gridFile(lines(101)),
    rows: [
      ['901 lines, each fill', gridFile(lines(901)), 'fill', usual],
      ['three exits, each fill', gridFile({ ...lines(101), side: 'buy', exit: exits }), 'fill', usual],
      ['more limits, each fill', gridFile({ ...lines(101), limits }), 'fill', usual],
    ],
  },
  {
    market: marketOf(60_000, 1.6),
    plain: ruled('last(px) > 0'),
    rows: [
      ['rsi, sma and atr in a rule on closes', ruled(indicators), 'run', { atMost: 3, wanted: 1.5 }],
      ['lines half as far apart, each fill', gridFile({ ...narrow, levels: 201 }), 'fill', usual],
    ],
  },
  {
    market: marketOf(10_080, 2.4),
    plain: gridFile({ ...wide, total: 30_000 }),
    rows: [['a limit that blocks most lines', blocked, 'run', { atMost: 4.5, wanted: 1.2 }]],
  },
]

/** Measures all grids in turns. Limits are multiplied by `margin`. */
export async function reportGrids(rounds: number, margin = 1): Promise<void> {
  // The first backtest of a process compiles its code.
  const [first] = comparisons
  if (first) await inTurns([{ texts: [first.plain], markets: first.market }])
  for (const { market: markets, plain, rows } of comparisons) {
    const texts = [plain, ...rows.map(([, text]) => text)]
    const [base, ...others] = await inTurns(
      texts.map((text) => ({ texts: [text], markets })),
      rounds,
    )
    if (!base) continue
    for (const [place, [what, , of, { atMost, wanted }]] of rows.entries()) {
      const other = others[place]!
      const fills = `${base.result.summary.fills} and ${other.result.summary.fills} fills`
      const [ours, floor] = of === 'fill' ? [perFill(other), perFill(base)] : [other.ms, base.ms]
      const unit = of === 'fill' ? 'µs' : 'ms'
      const row = { goal: 'P8c', what, ours, floor, ratio: ours / floor, unit, detail: fills }
      report({ ...row, atMost: margin * atMost, wanted })
    }
  }
}

function perFill({ ms, result }: Timed): number {
  return (1000 * ms) / result.summary.fills
}

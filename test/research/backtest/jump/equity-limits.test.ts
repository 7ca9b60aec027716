import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { times } from '#test/properties/runs.ts'
import { madeBars, monday } from '#test/research/backtest/market/generated-market.ts'
import { everywhere, played } from './step-everywhere.ts'

const minuteMs = 60_000
const minutes = 90
const rise = Math.log(1.06) / minutes

/** A position of about 1000, and a second ladder; the account has 10,000. */
function inputOf(risk: string, { drift = rise, from = monday } = {}): BacktestInput {
  const text = `
version: 1
name: shares
markets: { btc: BTC_PERP }
ladder:
  hold: { market: btc, side: buy, anchor: 60100, levels: 1, spacing: { kind: offsets, at: [0%] }, size: { total: 1000 quote } }
  more: { market: btc, side: buy, anchor: 42000, levels: 1, spacing: { kind: offsets, at: [0%] }, size: { total: 550 quote } }
rules:
  - { id: go, when: "1 < 2", do: [ensure: hold] }
  - { id: then, when: "position(btc) > 0", do: [ensure: more] }
risk:
${risk}
`
  const market = madeBars({ seed: 9, minutes, price: 60_000, pace: 0.0002, drift, from })
  return {
    strategies: [{ path: 'shares.yaml', text }],
    markets: new Map([['BTC_PERP', market]]),
    from: market.beginsAt,
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    balance: '10000',
  }
}

const wide = 'worst_case: { move: -100%, max_loss: 100000 }'
const calm = 'drawdown: { pause: 90%, halt: 95% }'

async function agreed(input: BacktestInput) {
  const [leaping, walking] = [await played(input), await played(input, everywhere)]
  expect(leaping.sent).toEqual(walking.sent)
  expect(leaping.notes).toEqual(walking.notes)
  const minuteOf = (ladder: string) => {
    const found = walking.sent.find(
      ([, command]) => command.kind === 'submit' && command.orders.some((order) => order.ladder === ladder),
    )
    return found && Math.floor((found[0] - input.from!) / minuteMs)
  }
  return { ...walking, minuteOf }
}

/** The first of them in `npm test`: they share the sum that follows the equity. */
const shares: [string, string][] = [
  ['max_notional', `  max_notional: { total: 15% equity }\n  ${wide}\n  ${calm}`],
  [
    'worst_case max_loss',
    `  max_notional: { total: 9000 }\n  worst_case: { move: -100%, max_loss: 15% equity }\n  ${calm}`,
  ],
  ['per_week', `  max_notional: { total: 9000 }\n  per_week: 15% equity\n  ${wide}\n  ${calm}`],
]

test.each(shares.slice(0, times(3, 3, 1)))(
  'an entry is sent in the second in which the equity has grown enough for %s',
  async (limit, risk) => {
    const { minuteOf, notes } = await agreed(inputOf(risk))
    const blocked = notes.flatMap((note) =>
      note.type === 'risk-blocked' && note.ladder === 'more' ? [[note.kind, note.reason]] : [],
    )
    expect(blocked).toEqual([[limit, expect.stringContaining(' 1500 would be 1506.17 with this order')]])
    expect(minuteOf('hold')).toBe(0)
    // 1506 is 15 % of 10,041: the position of 960 has gained 4.3 %.
    expect(minuteOf('more')).toBeGreaterThan(minutes * 0.4)
    expect(minuteOf('more')).toBeLessThan(minutes * 0.9)
  },
)

const limits = (pause: string, daily: string) =>
  `  max_notional: { total: 20% equity }\n  daily_loss: ${daily}\n  ${wide}\n  drawdown: { pause: ${pause}, halt: 90% }`

test('the loss of a day counts from the equity at 00:00 UTC, and that of drawdown from the highest of these', async () => {
  const from = monday + (24 * 60 - minutes / 2) * minuteMs
  // It loses about 30 on each day: 0.15 % of 10,000 are 15.
  const falling = { drift: -rise, from }
  const { notes } = await agreed(inputOf(limits('80%', '0.15% equity'), falling))
  const blocked = notes.flatMap((note) =>
    note.type === 'risk-blocked' && note.kind === 'daily_loss' ? [note.reason] : [],
  )
  expect(blocked).toEqual([])
  // 20 % of 10,000 are 2000, of which 1 % is 20: also after the loss.
  const { notes: paused } = await agreed(inputOf(limits('1%', '100% equity'), falling))
  expect(paused.filter(({ type }) => type === 'paused')).toEqual([
    expect.objectContaining({ reason: expect.stringContaining('says pause at 20.00, which is 1% of 2000') }),
  ])
})

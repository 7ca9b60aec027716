import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { times } from '#test/properties/runs.ts'
import { actingInput, actors } from './scripted-actions.ts'
import { everywhere, played } from './step-everywhere.ts'

/** By number; each of them would find what the bounds of a leap have forgotten. */
const markets = Array.from({ length: times(1, 2) }, (_, index) => 2 + index)

/** So much of each market: a sixth of it in `npm test`. */
const part = times(3, 6, 1) / 6

/** Where the first order fills later. */
const half = Math.max(part, 0.5)

/** So many of these in `npm test`. */
const some = <Value>(all: readonly Value[], few = 1) => all.slice(0, times(all.length, all.length, few))

/** The week of the schedule begins later, and others fill later. */
const third = Math.max(part, 1 / 3)
const later: Readonly<Record<string, number>> = { '01': third, '05': third, '06': half, '07': 1 }

describe.each(actors)('%s', (name) => {
  test.each(markets)(
    'does nothing else when somebody looks at every point and every second, in market %d',
    (seed) => expectSame(() => actingInput(name, seed, later[name.slice(0, 2)] ?? part)),
  )
})

test.each(some([2, 3, 4]))(
  'closes between the prices that rules ask for are left out, and none that reaches one, in market %d',
  (seed) =>
    expectSame(() => {
      const { strategies, ...input } = actingInput('01-static-grid.yaml', seed, third)
      const changed = strategies.map(({ path, text }) => ({
        path,
        text: text
          .replace('between(price, 55000, 65000)', 'between(price, 59900, 60500) || price > 61000')
          .replace('price < 54000 || price > 66000', 'price < 59900 || 60500 < price')
          .replace('for: 10m', 'for: 3m')
          .replace('once: episode', 'cooldown: 5m'),
      }))
      return { ...input, strategies: changed }
    }),
)

test('a price that crosses a mean of longer candles does so in a leap as in a walk', () =>
  expectSame(() => {
    const { strategies, ...input } = actingInput('06-mean-reversion.yaml', 3, half)
    return { ...input, strategies: strategies.map(crossing) }
  }))

function crossing({ path, text }: { path: string; text: string }): { path: string; text: string } {
  const changed = text.replace('crosses_below: [price, lower]', "crosses_below: [price, 'sma(d1, 2)']")
  return { path, text: changed.replace('rsi(px, 14) < 50', 'price > 0') }
}

/** Leaves as soon as the price is there, and begins again when the rule was true for a while, or still is. */
const reaching = `
version: 1
name: reach
needs: [bulk, history, balance]
markets: { sol: { symbol: SOL_PERP } }
feeds: { px: { source: candles, market: sol, interval: 1m, stale_after: 90s } }
ladder:
  dip:
    market: sol
    side: buy
    anchor: 150
    levels: 4
    spacing: { kind: geometric, first: 0.3%, step: 0.4% }
    size: { first: 40 quote }
    exit: { tp: { pct: 0.3% } }
rules:
  - { id: go, when: last(px) < 151, for: 7m, do: [ensure: dip] }
risk:
  max_notional: { sol: 1700 }
  max_open_orders: 12
  worst_case: { move: -40%, max_loss: 450 }
  drawdown: { pause: 50%, halt: 60% }
  in_doubt: { block: ladder, halt_after: 60s }
submit:
  chunk: 8
  order: nearest_first
  stopOnFail: true
  on_reject: halt_ladder
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 8, per: 1s }
`

test.each(some([2, 4]))(
  'what must be true for a while is not interrupted where closes are left out, in market %d',
  (seed) =>
    expectSame(() => ({
      ...actingInput('04-dca-take-profit.yaml', seed, Math.min(1, 2 * part)),
      strategies: [{ path: 'reach.yaml', text: reaching }],
    })),
)

/** Two books at once, of which one is silent while the other moves. */
const pair = `
version: 1
name: pair
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_USDT }, eth: { symbol: ETH_USDT } }
feeds: { b: { source: book, market: btc }, e: { source: book, market: eth } }
ladder:
  dip:
    market: btc
    side: buy
    anchor: mid(b) at episode_start
    levels: 3
    spacing: { kind: geometric, first: 0.1%, step: 0.2% }
    size: { first: 40 quote }
    exit: { tp: { pct: 0.2% } }
rules:
  - { id: go, when: mid(b) / mid(e) > 23, for: 4m, do: [ensure: dip] }
`

test.each(some([2, 3]))(
  'a book that stands is known all the time, whichever is told first, in market %d',
  (seed) =>
    expectSame(() => ({
      ...actingInput('07-scheduled-accumulation.yaml', seed, 0.2),
      strategies: [
        { path: 'pair.yaml', text: pair + reaching.slice(reaching.indexOf('risk:')).replace('sol:', 'btc:') },
      ],
    })),
)

/** Each of these waits for something of its own: to be wide enough, to be flat, to be old, for money, for its rule to begin. */
const waiting: readonly [string, string][] = [
  ['anchor: 60000', 'anchor: price at rule_start\n    rebase: on_flat'],
  ['balance]', 'balance, cancel]'],
  ['levels: 21', 'levels: 6'],
  ['{ kind: range, from: 55000, to: 65000 }', '{ kind: volatility, unit: "atr(px, 3)", first: 2, step: 2 }'],
  ['exit: { mirror: 1 }', 'exit: { mirror: 1, max_age: 95s }'],
  ['min_edge: 2.2 x fee', 'min_edge: 4 x fee'],
  ['between(price, 55000, 65000)', 'price > sma(px, 5)'],
]

test('what lays a ladder anew, and what keeps it from standing, comes in time', () =>
  expectSame(() => {
    const { strategies, ...input } = actingInput('01-static-grid.yaml', 3, half)
    const changed = strategies.map(({ path, text }) => ({
      path,
      text: waiting.reduce((whole, [from, to]) => whole.replace(from, () => to), text),
    }))
    return { ...input, strategies: changed, balance: '1900' }
  }))

test.each(some([2, 4]))(
  'a ladder that was stopped out stands again when its cooldown is over, in market %d',
  (seed) =>
    expectSame(() => ({
      ...actingInput('04-dca-take-profit.yaml', seed, Math.min(1, 2 * part)),
      strategies: [
        {
          path: 'reach.yaml',
          text: reaching
            .replace('{ tp: { pct: 0.3% } }', '{ tp: { pct: 0.3% }, stop: { pct: 0.2% }, cooldown: 95500ms }')
            .replace('anchor: 150', 'anchor: last(px) at episode_start')
            .replace('last(px) < 151, for: 7m', 'last(px) > 0'),
        },
      ],
    })),
)

/** The prices at which a rung comes within its window, or leaves it, are all that a leap stops at. */
test.each(
  some(
    ['{ max: 4, within: 0.9% }', '{ within: 1% }', '{ max: 1 }', '{ max: 5 }', '{ max: 7, within: 1.2% }'],
    1,
  ).flatMap((window) => Array.from({ length: times(1, 2) }, (_, index) => [window, 2 + index] as const)),
)('with a window of %s the same rungs rest, in market %d', (window, seed) =>
  expectSame(() => {
    const { strategies, ...input } = actingInput('01-static-grid.yaml', seed, part)
    const changed = strategies.map(({ path, text }) => ({
      path,
      text: text
        .replace('resting: { max: 12, within: 5% }', `resting: ${window}`)
        .replace(/ *min_edge.*\n/, '')
        // Unequal gaps: in equal ones several of the edges are one.
        .replace(
          '{ kind: range, from: 55000, to: 65000 }',
          '{ kind: geometric, first: 0.2%, step: 0.2%, grow: 1.15 }',
        ),
    }))
    return { ...input, strategies: changed }
  }),
)

async function expectSame(input: () => BacktestInput): Promise<void> {
  const leaping = await played(input())
  const watching = await played(input(), everywhere)
  expect(leaping.result.summary.fills).toBeGreaterThan(0)
  // The first that differs says more than all of them.
  const other = watching.sent.findIndex((each, index) => !isDeepStrictEqual(each, leaping.sent[index]))
  expect(watching.sent[other]).toEqual(leaping.sent[other])
  expect(watching.sent).toHaveLength(leaping.sent.length)
  expect(watching.result).toEqual(leaping.result)
  expect(watching.worth).toEqual(leaping.worth)
}

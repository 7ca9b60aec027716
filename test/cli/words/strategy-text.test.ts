import { describe, expect, test } from 'vitest'
import { limitRows, rebaseText, ruleLines } from '#src/cli/words/strategy-text.ts'
import { decimal } from '#src/core/money/decimal.ts'
import { exitWords } from '#src/strategy/schema/exit-schema.ts'
import { gridWith, strategyIn } from '#test/strategy/strategy-files.ts'

/** The text for rule, ladder and limits of a changed grid. */
function said(...changes: (readonly [string, string])[]) {
  const { strategy, programs } = strategyIn(gridWith(...changes))
  const [rule] = strategy.rules
  const { grid } = strategy.ladder
  if (!rule || !grid) throw new Error('the grid has a rule and a ladder')
  return {
    rule: ruleLines(rule, programs.conditions.get(rule.id)),
    exits: exitWords(grid).map(({ text }) => text),
    rebase: rebaseText(grid),
    limits: new Map(limitRows(strategy, decimal('10000')).map(([label = '', text = '']) => [label, text])),
  }
}

const condition = (file: string) => said(['when: between(price, 55000, 65000)', `when: ${file}`]).rule[0]
const needs = ['balance]', 'balance, cancel, flex]'] as const

describe('a condition in words', () => {
  test.each([
    ['price > 1', 'when price > 1'],
    ['{ all: [price > 1, price < 2] }', 'when price > 1 and price < 2'],
    ['{ any: [price > 1 && price < 2, price == 3] }', 'when (price > 1 && price < 2) or price == 3'],
    [
      '{ all: [{ any: [price > 1, price < 2] }, price != 3] }',
      'when (price > 1 or price < 2) and price != 3',
    ],
    ['{ not: { any: [price > 1, price < 2] } }', 'when not (price > 1 or price < 2)'],
    ['{ not: { all: [price > 1] } }', 'when not (price > 1)'],
    ['{ crosses_above: [price, "60000"] }', 'when price crosses above 60000'],
    [
      '{ all: [{ crosses_below: [price, "6"] }, { rises: price }] }',
      'when price crosses below 6 and price rises',
    ],
    ['{ falls: { of: "sma(px, 20)", candles: 5 } }', 'when sma(px, 20) falls over 5 candles'],
  ])('%s', (file, words) => {
    expect(condition(file)).toBe(words)
  })
})

test.each([
  ['slippage: 2%', 'by immediate orders at most 2% worse than the best price'],
  ['how: post', 'by orders that rest'],
  [
    'how: post, post_for: 30s',
    'by orders that rest for 30s, then by immediate orders at most 0.5% worse than the best price',
  ],
])('a close with %s says how its orders trade', (keys, words) => {
  const closing = `rules:\n  - { id: shut, when: price > 65000, do: [close: { of: grid, ${keys} }] }\n`
  expect(said(needs, ['rules:\n', closing]).rule.at(-1)).toBe(`do close grid, ${words}`)
})

test('a rule has its condition, its frequency and its actions', () => {
  const { rule } = said(needs, [
    '    do: [ensure: grid]',
    `    for: 90s
    cooldown: 36h
    once: episode
    schedule: Mon,Thu 12:00 UTC
    missed: { run_once_within: 2d }
    do:
      - ensure: grid
      - alert: a message
      - pause_entries: it is enough
      - flex_invest: { ticker: USDT, amount: price / 2, reinvest: true }`,
  ])
  expect(rule).toEqual([
    'at Mon,Thu 12:00 UTC, or within 2d',
    'when between(price, 55000, 65000)',
    'after it was true for 90s, cooldown 36h, once per episode',
    'do ensure grid, alert "a message", pause entries "it is enough", invest price / 2 of USDT, reinvested',
  ])
})

test('a ladder has all its exits', () => {
  const changes = [
    ['side: both', 'side: buy'],
    [
      'spacing: { kind: range, from: 55000, to: 65000 }',
      'spacing: { kind: volatility, unit: "100", first: 1, step: 1 }',
    ],
    [
      'exit: { mirror: 1 }',
      `exit:
      tp: { pct: 2.4%, split: [0.5, 0.3, 0.2], gap: 0.8%, mode: resting }
      at: price * 1.01
      stop: { pct: 5% }
      trail: { activate: 1 x unit, retrace: 0.35 x unit }
      max_age: 2d`,
    ],
  ] as const
  expect(said(needs, ...changes).exits).toEqual([
    'take profit 2.4% from the average entry, in parts of 0.5 + 0.3 + 0.2, 0.8% apart, resting',
    'take profit at price * 1.01',
    'stop 5% from the average entry, on touch',
    'trailing stop: starts 1 x unit in profit, exits 0.35 x unit below the best',
    'exits 2d after the first fill',
  ])
  expect(said(['exit: { mirror: 1 }', 'exit: { mirror: 2 }']).exits).toEqual([
    'each fill places an order on the other side, 2 levels away',
  ])
  expect(said(['exit: { mirror: 1 }', '']).exits).toEqual([])
})

test.each([
  ['never', undefined],
  ['on_flat', 'recomputed when its whole position has been closed'],
  ['{ drift: 0.05%, min_gap: 3s }', 'follows its anchor after a move of 0.05%, at most every 3s'],
  [
    '{ drift: 1 step, min_gap: 10m, hysteresis: 0.5 step }',
    'follows its anchor after a move of 1 step, at most every 10m; rungs stay if they would move less than 0.5 step',
  ],
  [
    '{ drift: 0.05%, min_gap: 3s, min_life: 90s }',
    'follows its anchor after a move of 0.05%, at most every 3s; an order rests for at least 90s before it moves',
  ],
])('a ladder that rebases %s', (file, words) => {
  expect(said(needs, ['side: both', `side: both\n    rebase: ${file}`]).rebase).toBe(words)
})

test('a ladder that amends its orders names what this costs', () => {
  const rebase = 'rebase: { drift: 0.05%, min_gap: 3s, amend: true }'
  const changes = [
    ['balance]', 'balance, cancel, amend]'],
    ['exit: { mirror: 1 }', ''],
    ['side: both', `side: both\n    ${rebase}`],
  ] as const
  expect(said(...changes).rebase).toBe(
    'follows its anchor after a move of 0.05%, at most every 3s; up to 2 orders of the strategy that move at once are ' +
      'amended: one request each, and the last place in the queue of the new price; more are cancelled and placed together',
  )
})

test.each([
  ['{ total: 2000 }', '2000'],
  ['{ btc: 300 }', '300'],
  ['{ btc: 300, eth: 5000 }', '300'],
  ['{ btc: 300, total: 2000 }', '300'],
  ['{ btc: 3000, total: 2000, net: 50 }', '2000'],
])('a drawdown is a share of the capital: of %s that is %s', (caps, capital) => {
  const { limits } = said(
    ['max_notional: { total: 2200 }', `max_notional: ${caps}`],
    ['markets:\n', 'markets:\n  eth: { symbol: ETH_USDT }\n'],
  )
  expect(limits.get('drawdown')).toContain(`, of the ${capital} of max_notional`)
})

test('a ladder says when exits or a rule recompute it', () => {
  const leaving = (exit: string) => said(needs, ['exit: { mirror: 1 }', `exit: { ${exit} }`]).rebase
  expect(leaving('stop: { pct: 5% }')).toBe('recomputed when an exit has closed its whole position')
  expect(leaving('mirror: 1, stop: { pct: 5% }')).toBe(
    'recomputed when an exit other than the mirror has closed its whole position',
  )
  expect(said(['anchor: 60000', 'anchor: price at rule_start']).rebase).toBe(
    'recomputed when a rule that ensures it becomes true and the position is flat',
  )
})

test('limits without a money amount are listed alone', () => {
  const { limits } = said(
    needs,
    [
      '  drawdown:',
      `  order_rate: { orders: 100, per: 1m }
  daily_loss: 50
  per_week: 400
  max_flex_per_day: 1000
  price_band: 12.5%
  deadman: { heartbeat: 15s, on_miss: retire_all }
  drawdown:`,
    ],
    ['on_reject: skip_level', 'on_reject: halt_ladder\n  on_one_sided: freeze_other'],
    ['stopOnFail: false', 'stopOnFail: { grid: true }'],
  )
  expect(Object.fromEntries(limits)).toEqual({
    drawdown: 'pause at 6% (132) for 1d, halt at 10% (220), of the 2200 of max_notional',
    'order rate': '100 orders in 1m; exits count but never wait',
    'daily loss': 'at most 50',
    'spent in seven days': 'at most 400',
    'invested per day': 'at most 1000',
    'price band': 'no order more than 12.5% from the last price',
    'unknown outcome': 'the level waits, halt after 1m',
    heartbeat: 'the venue cancels all orders after 1m without a heartbeat (sent each 15s)',
    'order that would take': 'placed again behind the best opposite price',
    'order refused': 'the ladder halts, the other ladder freezes, orders behind it wait in grid',
    'rate limit of the venue': '5 retries, 250ms to 8s apart',
  })
  expect(said().limits.get('order refused')).toBe(
    'retried later, or omitted if it breaks a rule of the market, orders behind it are placed',
  )
})

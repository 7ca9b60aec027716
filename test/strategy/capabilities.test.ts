import { describe, expect, test } from 'vitest'
import { served, venueFaults } from '#src/strategy/file/capabilities.ts'
import { capabilities } from '#src/strategy/schema/strategy-schema.ts'
import { gridWith, strategyFiles, strategyIn } from './strategy-files.ts'

/** Each fault with the text at its place. */
function told(text: string, has: Parameters<typeof venueFaults>[1]): string[] {
  const { strategy, placed } = strategyIn(text)
  return venueFaults(strategy, has).map((fault) => {
    const { line, column, message } = placed(fault)
    const [word] = (text.split('\n')[line - 1] ?? '').slice(column - 1).split(/[,\]\n]/)
    return `${word}: ${message}`
  })
}

test.each(strategyFiles)('$name runs at a venue with all capabilities', ({ text }) => {
  expect(told(text, served.full)).toEqual([])
})

// Strategies that need only the specification, and what the others miss there.
test.each<[string, string[]]>([
  ['01', []],
  ['02', []],
  ['03', ['cancel']],
  ['04', []],
  ['05', ['cancel', 'streams']],
  ['06', []],
  ['07', []],
  ['08', ['position_side_short']],
])('strategy %s misses %j at a venue with the specification only', (number, missing) => {
  const text = strategyFiles.find(({ name }) => name.startsWith(number))?.text ?? ''
  const named = told(text, served.spec).map((fault) => /has no (\w+):/.exec(fault)?.[1])
  expect([...new Set(named)]).toEqual(missing)
})

const without = (...names: string[]) => capabilities.filter((name) => !names.includes(name))

describe('a missing capability is reported', () => {
  test('at each place that needs it, with the reason', () => {
    const text = gridWith(
      ['balance]', 'balance, cancel, flex, position_side_short]'],
      ['side: both', 'side: both\n    rebase: { drift: 1%, min_gap: 1m }'],
      ['freeze: grid', 'retire: grid'],
      ['do: [ensure: grid]', 'do:\n      - ensure: grid\n      - flex_invest: { ticker: USDT, amount: 5 }'],
      ['symbol: BTC_USDT', 'symbol: BTC_USDT, positionSide: short'],
      ['  drawdown:', '  deadman: { heartbeat: 9s, on_miss: retire_all }\n  drawdown:'],
    )
    expect(told(text, capabilities)).toEqual([])
    expect(told(text, without('cancel', 'flex', 'position_side_short'))).toEqual([
      '{ drift: 1%: this venue has no cancel: a ladder that follows its anchor cannot cancel its orders',
      'grid: this venue has no cancel: orders cannot be cancelled',
      '{ heartbeat: 9s: this venue has no cancel: it cannot cancel orders when the heartbeat stops',
      '{ ticker: USDT: this venue has no flex: it cannot invest idle money',
      'short }: this venue has no position_side_short: it cannot hold a short position beside a long one',
    ])
  })

  test('with a remedy that a file with only short ladders can use', () => {
    const { strategy } = strategyIn(
      gridWith(
        ['needs: [bulk, history, balance]\n', ''],
        ['symbol: BTC_USDT', 'symbol: BTC_PERP, positionSide: short'],
      ),
    )
    expect(venueFaults(strategy, served.spec).map(({ hint }) => hint)).toEqual([
      'omit positionSide, or use a venue with position_side_short',
    ])
  })

  test('for a grid that is placed again after its mirrors have sold everything', () => {
    const text = gridWith(['balance]', 'balance, cancel]'], ['side: both', 'side: both\n    rebase: on_flat'])
    expect(told(text, capabilities)).toEqual([])
    expect(told(text, without('cancel'))).toEqual([
      'on_flat: this venue has no cancel: a ladder with rebase cannot cancel its orders',
    ])
  })

  test('for quotes that are amended', () => {
    const quotes = strategyFiles.find(({ name }) => name.startsWith('05'))?.text ?? ''
    const text = quotes
      .replace('cancel, streams]', 'cancel, amend, streams]')
      .replace('min_gap: 3s }', 'min_gap: 3s, amend: true }')
    expect(told(text, capabilities)).toEqual([])
    expect(told(text, without('amend'))).toEqual(['true }: this venue has no amend: it cannot amend orders'])
  })

  test('for a stop that is an order at the venue', () => {
    const buys = strategyFiles.find(({ name }) => name.startsWith('03'))?.text ?? ''
    const text = buys
      .replace('balance, cancel]', 'balance, cancel, conditional_orders]')
      .replace('stop: { pct: 6%', 'stop: { pct: 6%, mode: resting')
      .replace(/^ +deadman: .*\n/m, '')
    expect(told(text, capabilities)).toEqual([])
    expect(
      told(text, without('cancel', 'conditional_orders')).filter((each) => each.startsWith('rest')),
    ).toEqual([
      'resting }: this venue has no cancel: a resting stop that moves cannot be cancelled',
      'resting }: this venue has no conditional_orders: it has no orders that wait for an activation price',
    ])
    const { strategy } = strategyIn(text)
    expect(venueFaults(strategy, without('conditional_orders')).map(({ hint }) => hint)).toEqual([
      'write on_touch_ioc, or use a venue with conditional_orders',
    ])
  })

  test('for an exit that moves while it rests', () => {
    const dca = strategyFiles.find(({ name }) => name.startsWith('04'))?.text ?? ''
    const text = dca
      .replace('tp: { pct: 1.2%', 'tp: { pct: 1.2%, mode: resting')
      .replace('balance]', 'balance, cancel]')
    expect(told(text, without('cancel'))).toEqual([
      expect.stringMatching(
        /^resting }: this venue has no cancel: a resting exit that moves cannot be cancelled$/,
      ),
    ])
  })

  test('at the key `needs`, if no single place needs it', () => {
    const text = gridWith(['needs: [bulk,', 'needs: [bulk, open_orders,'])
    expect(told(text, without('open_orders', 'bulk'))).toEqual([
      'bulk: this venue has no bulk: it cannot place several orders in one request',
      'open_orders: this venue has no open_orders: it cannot list open orders',
    ])
  })
})

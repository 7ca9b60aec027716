import { describe, expect, test } from 'vitest'
import type { OrderAnswer } from '#src/engine/events.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { exitStatuses } from '#src/engine/exits/exit-reasons.ts'
import {
  cancelsOf,
  EngineHarness,
  minute,
  refusal,
  submitsOf,
  told,
  venue,
} from '#test/engine/support/engine-harness.ts'
import { oneBuy } from '#test/engine/support/one-buy.ts'
import { told as problems } from '#test/strategy/strategy-files.ts'

type Parts = { exit?: string; rebase?: string; more?: string }

/** Buys 0.05 at 60000, and closes above 61000. */
const closing = (
  action: string,
  { exit = '', rebase = '', more = '' }: Parts = {},
) => `${oneBuy}${rebase === '' ? '' : `\n    rebase: ${rebase}`}${exit === '' ? '' : `\n    exit: { ${exit} }`}
rules:
  - { id: go, when: last(px) < 60500, do: [ensure: dip] }
  - { id: leave, when: last(px) > 61000, do: [${action}] }
${more}risk:
  max_notional: { btc: 4000 }
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 80%, halt: 90% }
`

/** Its position, when the rule becomes true, and the orders of this step. */
function closingAt(text: string) {
  const harness = new EngineHarness([text], {
    capabilities: [...venue.capabilities, 'conditional_orders'],
  })
  harness.quote('BTC_PERP', 60_000)
  harness.settle(harness.candle('BTC_PERP', '1m', 60_000))
  harness.settle(harness.fill('dips.dip.1.1'))
  harness.at += minute
  harness.quote('BTC_PERP', 61_001)
  return { harness, sent: harness.settle(harness.candle('BTC_PERP', '1m', 61_001)) }
}

/** The orders of the next second at this price. */
function secondAt(harness: EngineHarness, price: number, spread = 2) {
  harness.at += 1000
  const quoted = harness.settle(harness.quote('BTC_PERP', price, spread))
  return [...quoted, ...harness.settle(harness.wait(0))]
}

const leaveOf = (harness: EngineHarness) => harness.ladder('dips', 'dip').exits.leave

test('how: post closes by a maker-only order at the best price of the own side', () => {
  const { harness, sent } = closingAt(closing('close: { of: dip, how: post }'))
  expect(told(sent)).toEqual(['dips.dip.cl.1 sell 0.05 at 61002'])
  expect(sent).toMatchObject([{ postOnly: true, ioc: false, role: 'exit' }])
  harness.settle(harness.fill('dips.dip.cl.1'))
  expect(harness.ladder('dips', 'dip')).toMatchObject({ held: { position: '0' }, exits: { leave: null } })
  expect(harness.notes()).toContain('episode-closed')
})

test('a better price replaces the order, a worse one does not, and both count once a second', () => {
  const { harness } = closingAt(closing('close: { of: dip, how: post }'))
  expect(told(secondAt(harness, 61_100))).toEqual([])
  harness.at += 500
  expect(cancelsOf(harness.quote('BTC_PERP', 60_900))).toEqual([])
  harness.at -= 500
  expect(told(secondAt(harness, 60_900))).toEqual(['dips.dip.cl.2 sell 0.05 at 60901'])
  // Locked: the own side is at the best bid.
  expect(told(secondAt(harness, 60_800, 0))).toEqual(['dips.dip.cl.3 sell 0.05 at 60800.01'])
})

test('between ticks neither a fill nor an answer of the venue replaces the order', () => {
  const { harness } = closingAt(closing('close: { of: dip, how: post }'))
  harness.at += 300
  harness.quote('BTC_PERP', 60_900)
  expect(harness.settle(harness.fill('dips.dip.cl.1', 0.2))).toEqual([])
  harness.at += 700
  // The price moves on before the venue has accepted the new order.
  const { commands } = harness.wait(0)
  expect(commands).toMatchObject([{ kind: 'cancel', orders: [{ id: 'dips.dip.cl.1' }] }])
  const next = harness.takenBack('dips.dip.cl.1')
  harness.at += 400
  harness.quote('BTC_PERP', 60_800)
  expect(told(harness.settle(next))).toEqual(['dips.dip.cl.2 sell 0.04 at 60901'])
  harness.at += 600
  expect(told(harness.settle(harness.wait(0)))).toEqual(['dips.dip.cl.3 sell 0.04 at 60801'])
})

test('a part that fills is not offered again', () => {
  const { harness } = closingAt(closing('close: { of: dip, how: post }'))
  harness.settle(harness.fill('dips.dip.cl.1', 0.4))
  expect(told(secondAt(harness, 60_900))).toEqual(['dips.dip.cl.2 sell 0.03 at 60901'])
})

test('the order rests for min_life, and stays while the difference is below hysteresis', () => {
  const rebase = '{ drift: 5%, min_gap: 1h, hysteresis: 0.1%, min_life: 10s }'
  const { harness } = closingAt(
    closing('close: { of: dip, how: post }', { rebase, exit: 'stop: { pct: 9% }' }),
  )
  expect(secondAt(harness, 60_500)).toEqual([])
  harness.at += 10_000
  expect(secondAt(harness, 60_950)).toEqual([])
  expect(told(secondAt(harness, 60_900))).toEqual(['dips.dip.cl.2 sell 0.05 at 60901'])
})

test('with post_for, immediate orders close what is left after that time', () => {
  const { harness } = closingAt(closing('close: { of: dip, how: post, post_for: 30s }'))
  harness.settle(harness.fill('dips.dip.cl.1', 0.4))
  harness.at += 28_000
  expect(secondAt(harness, 61_001)).toEqual([])
  const sent = secondAt(harness, 61_001)
  expect(told(sent)).toEqual(['dips.dip.cl.2 sell 0.03 at 60695'])
  expect(sent).toMatchObject([{ ioc: true, postOnly: false }])
  expect(harness.ladder('dips', 'dip').held.position).toBe('0')
})

test('that time ends with a tick, also if a trailing stop has moved since the one before', () => {
  const { harness } = closingAt(
    closing('close: { of: dip, how: post, post_for: 1500ms }', {
      exit: 'trail: { activate: 1%, retrace: 2% }',
    }),
  )
  expect(secondAt(harness, 61_002)).toEqual([])
  // The time is over in the middle of the second in which the price rises.
  for (const price of [61_003, 61_004, 61_005]) {
    harness.at += 250
    expect(harness.settle(harness.quote('BTC_PERP', price))).toEqual([])
  }
  harness.at += 250
  expect(told(harness.settle(harness.wait(0)))).toEqual(['dips.dip.cl.2 sell 0.05 at 60698.98'])
})

const wouldTake = (): OrderAnswer => refusal(13, 'it would take', ['postOnly'])

test('a refusal because the order would take is followed by a pause', () => {
  const text = closing('close: { of: dip, how: post }')
  const { harness } = closingAt(text)
  harness.at += 1000
  harness.settle(harness.quote('BTC_PERP', 60_900), wouldTake)
  harness.settle(harness.wait(0), wouldTake)
  expect(told(secondAt(harness, 60_900))).toEqual(['dips.dip.cl.3 sell 0.05 at 60901'])
})

describe('an exit that acts at once', () => {
  test.each([
    ['stop: { pct: 2% }', 'st'],
    ['max_age: 2m', 'ag'],
  ])('%s takes the place of the order that rests', (exit, label) => {
    const { harness } = closingAt(closing('close: { of: dip, how: post }', { exit }))
    expect(leaveOf(harness)).toBe('cl')
    harness.at += 2 * minute
    // The quote alone triggers the stop: no tick is needed.
    const sent = harness.settle(harness.quote('BTC_PERP', 58_000))
    sent.push(...harness.settle(harness.wait(0)))
    expect(told(sent)).toEqual([`dips.dip.${label}.1 sell 0.05 at 57709.01`])
    expect(sent).toMatchObject([{ ioc: true }])
    expect(harness.resting()).toEqual([])
  })

  test('the stop at the venue waits on beside the order, and its first fill ends the waiting', () => {
    const exit = 'stop: { pct: 2%, mode: resting }'
    const { harness } = closingAt(closing('close: { of: dip, how: post }', { exit }))
    expect(harness.resting()).toEqual(['dips.dip.st.1', 'dips.dip.cl.1'])
    expect(harness.order('dips.dip.cl.1')).toMatchObject({ reduceOnly: true })
    harness.quote('BTC_PERP', 58_700)
    const sent = harness.settle(harness.fill('dips.dip.st.1', 0.4))
    expect(sent).toMatchObject([{ level: 'st', ioc: true, amount: '0.03' }])
  })

  test('another rule that closes at once takes its place, too', () => {
    const more = '  - { id: crash, when: last(px) > 62000, do: [close: dip] }\n'
    const { harness } = closingAt(closing('close: { of: dip, how: post }', { more }))
    harness.at += minute
    harness.quote('BTC_PERP', 62_001)
    const sent = harness.settle(harness.candle('BTC_PERP', '1m', 62_001))
    expect(sent).toMatchObject([{ level: 'cl', ioc: true }])
  })

  test('flatten takes its place, too', () => {
    const { harness } = closingAt(closing('close: { of: dip, how: post }'))
    const sent = harness.settle(
      harness.tell({ kind: 'operator', act: 'halt', flatten: true, strategy: 'dips', reason: 'end' }),
    )
    expect(sent).toMatchObject([{ level: 'fl', ioc: true }])
  })
})

test('a share is closed by an order that rests, and the take profit rests again after it', () => {
  const exit = 'tp: { pct: 9%, mode: resting }'
  const { harness, sent } = closingAt(closing('close: { of: dip, share: 40%, how: post }', { exit }))
  expect(told(sent)).toEqual(['dips.dip.cl.1 sell 0.02 at 61002'])
  expect(told(secondAt(harness, 60_900))).toEqual(['dips.dip.cl.2 sell 0.02 at 60901'])
  expect(told(harness.settle(harness.fill('dips.dip.cl.2')))).toEqual(['dips.dip.t1.2 sell 0.03 at 65400'])
  expect(harness.ladder('dips', 'dip').exits.close).toBeUndefined()
})

test('the order ends with a position that another exit has closed', () => {
  const exit = 'stop: { pct: 2%, mode: resting }'
  const { harness } = closingAt(closing('close: { of: dip, share: 40%, how: post }', { exit }))
  expect(harness.resting()).toContain('dips.dip.cl.1')
  harness.settle(harness.fill('dips.dip.st.1'))
  expect(harness.resting()).toEqual([])
})

test('why says that the order rests, where, and until when', () => {
  const { harness } = closingAt(closing('close: { of: dip, how: post, post_for: 30s }'))
  const { state } = harness.engine
  const compiled = compileStrategy(state.strategies['dips']!.text, state.venue)!
  const [ladder] = compiled.ladders
  const found = exitStatuses({ state, scene: compiled, ladder: ladder!, own: harness.ladder('dips', 'dip') })
  expect(found).toMatchObject([{ label: 'cl', price: '61002', state: 'resting', amount: '0.05' }])
  expect(found[0]?.why).toMatch(
    /^the rule leave closes the position by orders that rest, until 2026-01-01 12:01:30 UTC; position 0\.05/,
  )
})

test.each([
  ['close: { of: dip, post_for: 30s }', 'has no effect without how: post'],
  ['close: { of: dip, how: post, slippage: 0.5% }', 'has no effect with how: post without post_for'],
  ['close: { of: dip, share: 5%, how: post, slippage: 1% }', 'has no effect with how: post without post_for'],
  ['close: { of: dip, daily_loss: 5 }', 'has no effect without share'],
  ['close: { of: dip, how: rest }', 'must be one of ioc, post'],
])('%s is refused', (action, message) => {
  expect(problems(closing(action)).join('\n')).toContain(message)
})

test('slippage beside how: post is read with post_for and with daily_loss', () => {
  for (const more of ['post_for: 30s', 'share: 5%, daily_loss: 5'])
    expect(problems(closing(`close: { of: dip, how: post, slippage: 1%, ${more} }`))).toEqual([])
})

test('the orders of a bulk are sent once', () => {
  const { harness } = closingAt(closing('close: { of: dip, how: post }'))
  harness.at += 1000
  harness.quote('BTC_PERP', 60_900)
  const step = harness.wait(0)
  expect([cancelsOf(step), submitsOf(step)]).toEqual([['dips.dip.cl.1'], []])
})

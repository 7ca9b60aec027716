import { expect, test } from 'vitest'
import {
  accepted,
  cancelsOf,
  EngineHarness,
  minute,
  progress,
  told,
} from '#test/engine/support/engine-harness.ts'
import { gridWith, told as problems } from '#test/strategy/strategy-files.ts'

/** The static grid with mirrors, and a rule that closes it above a price. */
function closing(action = 'close: grid', more = ''): string {
  const rule = `  - id: leave\n    when: last(px) > 61000\n${more}    do:\n      - ${action}\n`
  return gridWith(['needs: [bulk,', 'needs: [bulk, cancel,'], ['\nrisk:\n', `\n${rule}\nrisk:\n`]).replace(
    /^tests:[^]*/m,
    '',
  )
}

/** The grid rests, its first buy has filled, and its exits rest. */
function holding(text: string, order = 'sgrid.grid.b1.1'): EngineHarness {
  const harness = new EngineHarness([text])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.settle(harness.fill(order))
  expect(harness.ladder('sgrid', 'grid').held.position).not.toBe('0')
  return harness
}

/** A minute later: a candle with this close. */
function closeAt(harness: EngineHarness, price: number) {
  harness.at += minute
  harness.quote('BTC_USDT', price)
  return harness.candle('BTC_USDT', '1m', price)
}

test.each(['close: grid', 'close: btc'])(
  '%s cancels the orders of the ladder, and sells its position',
  (action) => {
    const harness = holding(closing(action))
    const { position } = harness.ladder('sgrid', 'grid').held
    const resting = harness.resting().length
    const step = closeAt(harness, 61_001)
    expect(cancelsOf(step).length).toBe(resting)
    const sent = harness.settle(step)
    expect(told(sent)).toEqual([`sgrid.grid.cl.1 sell ${position} at 60695`])
    expect(harness.resting()).toEqual([])
    expect(harness.ladder('sgrid', 'grid')).toMatchObject({
      held: { position: '0' },
      exits: { leave: null },
      goal: 'retire',
    })
    expect(harness.ladder('sgrid', 'grid').exits.close).toBeUndefined()
    // The rule is no longer true, and the rule above it places the grid again.
    expect(told(harness.settle(closeAt(harness, 60_000))).length).toBeGreaterThan(5)
  },
)

test('the slippage of the file is the farthest price', () => {
  const harness = holding(closing('close: { of: grid, slippage: 2% }'))
  const [order] = harness.settle(closeAt(harness, 61_001))
  expect(order).toMatchObject({ level: 'cl', price: '59780', ioc: true })
})

test('without a position the rule only cancels the orders', () => {
  const harness = new EngineHarness([closing()])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  const sent = harness.settle(closeAt(harness, 61_001))
  expect(sent).toEqual([])
  expect(harness.resting()).toEqual([])
  expect(harness.ladder('sgrid', 'grid').exits.close).toBeUndefined()
})

test('what a schedule begins to close is closed although its time is over, and rungs wait meanwhile', () => {
  const text = closing().replace('when: last(px) > 61000', 'schedule: daily 12:30 UTC')
  const harness = new EngineHarness([text])
  harness.at = Date.UTC(2026, 0, 5, 12, 28)
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  expect(harness.settle(closeAt(harness, 60_000))).toEqual([])
  const unfilled = { kind: 'accepted', venueId: '9', filled: '0', money: '0', fee: '0', ended: true } as const
  const sent = harness.settle(closeAt(harness, 60_000), (order) =>
    /\.cl\.[12]$/.test(order.id) ? unfilled : accepted(order),
  )
  const [first, second, third, ...rungs] = told(sent)
  const { amount } = sent[0]!
  expect([first, second, third]).toEqual(
    [1, 2, 3].map((nth) => `sgrid.grid.cl.${nth} sell ${amount} at 59699.01`),
  )
  // Then another rule places the grid again.
  expect(rungs.length).toBe(12)
})

test.each([
  ['close: gird', '"gird" does not exist'],
  ['close: { of: grid, slippage: 0% }', 'above zero'],
  [
    'close: grid\n      - ensure: grid',
    'the same rule says close: grid, and only the last action takes effect',
  ],
])('%s is refused', (action, message) => {
  expect(problems(closing(action)).join('\n')).toContain(message)
})

/** The grid buys only, and has a take profit that rests instead of mirrors. */
function holdingPart(action: string, more = ''): EngineHarness {
  const text = closing(action, more)
    .replace('exit: { mirror: 1 }', 'exit: { tp: { pct: 9%, mode: resting } }')
    .replace('side: both', 'side: buy')
  return holding(text, 'sgrid.grid.1.1')
}

test('a share of the position is closed once each time the rule acts, and the take profit rests again', () => {
  const harness = holdingPart('close: { of: grid, share: 30%, slippage: 1% }', '    cooldown: 10m\n')
  const { position } = harness.ladder('sgrid', 'grid').held
  const share = (Math.floor(Number(position) * 0.3 * 1e6) / 1e6).toString()
  const sent = told(harness.settle(closeAt(harness, 61_001)))
  expect(sent[0]).toBe(`sgrid.grid.cl.1 sell ${share} at 60390`)
  const left = (Number(position) - Number(share)).toFixed(6)
  expect(Number(harness.ladder('sgrid', 'grid').held.position)).toBe(Number(left))
  expect(sent.slice(1)).toEqual([expect.stringMatching(`t1\\.2 sell ${Number(left)} at`)])
  // The rule is still true, and acts again after its cooldown.
  expect(told(harness.settle(closeAt(harness, 61_001)))).toEqual([])
  harness.at += 9 * minute
  expect(told(harness.settle(closeAt(harness, 61_001)))[0]).toMatch(/^sgrid\.grid\.cl\.2 sell/)
})

test('a share that fills in part is closed further, whatever the rule says then', () => {
  const harness = holdingPart('close: { of: grid, share: 50% }', '    once: ever\n')
  const { position } = harness.ladder('sgrid', 'grid').held
  let fills = 0
  const sent = harness.settle(closeAt(harness, 61_001), (order) => {
    if (order.level !== 'cl' || fills++ > 0) return accepted(order)
    return { kind: 'accepted', ...progress(order, '0.0004', true) }
  })
  const closes = sent.filter(({ level }) => level === 'cl')
  const whole = Math.floor(Number(position) * 0.5 * 1e6) / 1e6
  expect(closes.map(({ amount }) => Number(amount))).toEqual([whole, Number((whole - 0.0004).toFixed(6))])
  expect(harness.ladder('sgrid', 'grid').exits.close).toBeUndefined()
})

test('a share below the smallest order of the market is closed as the smallest order', () => {
  const harness = holdingPart('close: { of: grid, share: 0.1% }', '    once: ever\n')
  const [order] = harness.settle(closeAt(harness, 61_001))
  // The market takes orders from 5 USDT on.
  expect(order).toMatchObject({ level: 'cl', amount: '0.000083' })
  expect(harness.ladder('sgrid', 'grid').exits.close).toBeUndefined()
})

test.each([
  ['close: { of: grid, share: 30% }', '"grid" has mirrors, which sell all that was bought'],
  ['close: { of: grid, share: 100% }', 'must be less than 100%'],
])('%s is refused', (action, message) => {
  expect(problems(closing(action)).join('\n')).toContain(message)
})

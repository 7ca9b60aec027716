import { expect, test } from 'vitest'
import { accepted, cancelsOf, EngineHarness, minute, told } from '#test/engine/support/engine-harness.ts'
import { gridWith, told as problems } from '#test/strategy/strategy-files.ts'

/** The static grid with mirrors, and a rule that closes it above a price. */
function closing(action = 'close: grid', more = ''): string {
  const rule = `  - id: leave\n    when: last(px) > 61000\n${more}    do:\n      - ${action}\n`
  return gridWith(['needs: [bulk,', 'needs: [bulk, cancel,'], ['\nrisk:\n', `\n${rule}\nrisk:\n`]).replace(
    /^tests:[^]*/m,
    '',
  )
}

/** The grid rests; its first buy has filled, and its mirror rests. */
function holding(text: string): EngineHarness {
  const harness = new EngineHarness([text])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  harness.settle(harness.fill('sgrid.grid.b1.1'))
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

import { expect, test } from 'vitest'
import { Engine } from '#src/engine/engine.ts'
import { engineVersion } from '#src/engine/engine-version.ts'
import { EngineHarness, fileOf, minute } from '#test/engine/support/engine-harness.ts'

/** Acts if the candles of five minutes and of one hour, which close together, have different prices. */
const feeds = `feeds:
  five: { source: candles, market: btc, interval: 5m }
  hour: { source: candles, market: btc, interval: 1h }
ladder:`
const rules = `rules:
  - { id: differ, when: last(five) != last(hour), do: [ensure: grid] }
risk:`
const text = fileOf('static-grid')
  .replace(/feeds:[\s\S]*?\nladder:/, feeds)
  .replace(/rules:[\s\S]*?\nrisk:/, rules)
  .replace(/\ntests:[\s\S]*$/, '\n')

type Interval = '5m' | '1h'
const fired = ({ steps }: EngineHarness) =>
  steps.flatMap(({ step }) => step.notes).filter(({ type }) => type === 'rule-fired').length
const candle = (harness: EngineHarness, interval: Interval, price: number) =>
  harness.settle(harness.candle('BTC_USDT', interval, price))

/** A bot at the next full hour, or some hours later, with all candles but those that close then. */
function beforeFullHour(text: string, hours = 1): EngineHarness {
  const harness = new EngineHarness([text])
  for (const interval of ['5m', '1h'] as const) candle(harness, interval, 60_000)
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.wait(1000))
  for (let five = 1; five < 12 * hours; five++) {
    harness.at += 5 * minute
    harness.quote('BTC_USDT', 60_000)
    candle(harness, '5m', 60_000)
  }
  harness.at += 5 * minute
  harness.quote('BTC_USDT', 60_000)
  return harness
}

test.each([
  ['the shorter one first', ['5m', '1h']],
  ['the longer one first', ['1h', '5m']],
] as const)(
  'no rule sees a candle beside an older one that closes at the same time: %s',
  (_order, intervals) => {
    const harness = beforeFullHour(text)
    for (const interval of intervals) candle(harness, interval, 61_000)
    expect(fired(harness)).toBe(0)
  },
)

test('nor does a price of the book that comes between them', () => {
  const harness = beforeFullHour(text.replace('feeds:', 'feeds:\n  top: { source: book, market: btc }'))
  candle(harness, '5m', 61_000)
  harness.at += 50
  harness.settle(harness.quote('BTC_USDT', 60_500))
  expect(fired(harness)).toBe(0)
  candle(harness, '1h', 61_000)
  harness.settle(harness.quote('BTC_USDT', 60_600))
  expect(fired(harness)).toBe(0)
})

test('a candle that was missed before does not end the wait', () => {
  const harness = beforeFullHour(text, 2)
  candle(harness, '5m', 61_000)
  expect(fired(harness)).toBe(0)
  candle(harness, '1h', 61_000)
  expect(fired(harness)).toBe(0)
})

test('if one of them does not come, the next tick decides', () => {
  const harness = beforeFullHour(text)
  candle(harness, '5m', 61_000)
  expect(fired(harness)).toBe(0)
  harness.settle(harness.wait(1000))
  expect(fired(harness)).toBe(1)
})

test.each([
  ['0.3.2', true],
  [engineVersion, false],
])('records of version %s are recalled as it has decided', (version, isDecided) => {
  const harness = beforeFullHour(text)
  const begun = harness.steps.length
  candle(harness, '5m', 61_000)
  const recalled = new Engine(null)
  for (const { event, step } of harness.steps.slice(0, begun)) recalled.recall(event, step.commands, version)
  expect(recalled.state.strategies['sgrid']?.rules['differ']?.firedAt ?? null).toBe(null)
  for (const { event, step } of harness.steps.slice(begun)) recalled.recall(event, step.commands, version)
  expect(typeof recalled.state.strategies['sgrid']?.rules['differ']?.firedAt === 'number').toBe(isDecided)
})

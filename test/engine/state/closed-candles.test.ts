import { expect, test } from 'vitest'
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

const fired = ({ steps }: EngineHarness) =>
  steps.flatMap(({ step }) => step.notes).filter(({ type }) => type === 'rule-fired').length

/** A bot that has the candles of this hour, and then, an hour later, those that are listed. */
function anHourLater(candles: readonly (readonly [interval: string, price: number])[]): EngineHarness {
  const harness = new EngineHarness([text])
  for (const interval of ['5m', '1h']) harness.settle(harness.candle('BTC_USDT', interval, 60_000))
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.wait(1000))
  for (let five = 1; five < 12; five++) {
    harness.at += 5 * minute
    harness.quote('BTC_USDT', 60_000)
    harness.settle(harness.candle('BTC_USDT', '5m', 60_000))
  }
  harness.at += 5 * minute
  harness.quote('BTC_USDT', 60_000)
  for (const [interval, price] of candles) harness.settle(harness.candle('BTC_USDT', interval, price))
  return harness
}

test.each([
  [
    'the shorter one first',
    [
      ['5m', 61_000],
      ['1h', 61_000],
    ],
  ],
  [
    'the longer one first',
    [
      ['1h', 61_000],
      ['5m', 61_000],
    ],
  ],
] as const)(
  'no rule sees a candle beside an older one that closes at the same time: %s',
  (_order, candles) => {
    expect(fired(anHourLater(candles))).toBe(0)
  },
)

test('if one of them does not come, the next tick decides', () => {
  const harness = anHourLater([['5m', 61_000]])
  expect(fired(harness)).toBe(0)
  harness.settle(harness.wait(1000))
  expect(fired(harness)).toBe(1)
})

import type { MarketRules } from '#src/market/ladder/plan.ts'
import { decimal, Decimal } from '#src/core/money/decimal.ts'
import { inMoney } from '#src/strategy/file/capital.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { venueFaults } from '#src/strategy/file/capabilities.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { previewOf, type Allowance, type SampleInput } from '#src/strategy/check/preview.ts'
import { sorted, type Read } from '#src/strategy/file/read-strategy.ts'
import type { Programs } from '#src/strategy/expressions/programs.ts'
import type { Given, Strategy } from '#src/strategy/schema/strategy-schema.ts'
import {
  strategyTestFaults,
  testDifferences,
  type TestDifference,
} from '#src/strategy/check/strategy-tests.ts'
import { warningsOf } from '#src/strategy/check/warnings.ts'
import type { VenueRules } from './venue-rules.ts'

/** Equity for a check without one. */
const assumedEquity = new Decimal(10_000)
/** Range of assumed candles: without it the volatility would be zero. */
const assumedSwing = decimal('0.002')
const symbolsShownMax = 20

/** Checks a strategy against the rules of a venue, and computes its orders. */
export function checkStrategy({ strategy, programs, placed }: Read, rules: VenueRules) {
  const { faults, differences, preview } = venueCheck(strategy, programs, rules)
  const all = [...faults, ...strategyTestFaults(strategy, differences)]
  const sample = inMoney(strategy, preview.equity)
  const warnings = warningsOf(sample, programs, preview, allowanceOf(rules))
  return { problems: sorted(all.map(placed)), warnings: sorted(warnings.map(placed)), preview }
}

/** The same faults for the parts without mistakes of a file with mistakes: a test that reads another part says nothing. */
export function faultsOfParts(strategy: Strategy, programs: Programs, rules: VenueRules): StrategyFault[] {
  const { faults, differences } = venueCheck(strategy, programs, rules)
  const known = differences.filter(({ isUnknown }) => !isUnknown)
  return [...faults, ...strategyTestFaults(strategy, known)]
}

function venueCheck(strategy: Strategy, programs: Programs, rules: VenueRules) {
  const { markets, faults } = marketsOf(strategy, rules)
  const given = givenOf(strategy, rules)
  const preview = previewOf(inMoney(strategy, given.equity), programs, markets, given, allowanceOf(rules))
  return {
    faults: [...venueFaults(strategy, rules.has), ...faults, ...preview.faults],
    differences: testDifferences(strategy, programs, markets),
    preview,
  }
}

function allowanceOf({ batchMax, priceBand, orderLimit }: VenueRules): Allowance {
  return { batchMax, priceBand, ...orderLimit }
}

/** The expected values of the tests of a strategy that differ from the computed ones. */
export function testDifferencesOf({ strategy, programs }: Read, rules: VenueRules): TestDifference[] {
  return testDifferences(strategy, programs, marketsOf(strategy, rules).markets)
}

/** Rules of the strategy's markets, by the names in its file. */
function marketsOf({ markets }: Strategy, rules: VenueRules) {
  const found = new Map<string, MarketRules>()
  const faults: StrategyFault[] = []
  const symbols = [...rules.markets.keys()]
  for (const [name, { symbol }] of Object.entries(markets)) {
    const market = rules.markets.get(symbol)
    if (market) found.set(name, market)
    else {
      const hint = hintOf(symbol, symbols) ?? `there is ${symbols.slice(0, symbolsShownMax).join(', ')}`
      faults.push({ path: ['markets', name, 'symbol'], message: `the venue has no market ${symbol}`, hint })
    }
  }
  return { markets: found, faults }
}

/** The values of the first test; prices of the venue where it has none. */
function givenOf({ tests, feeds, markets }: Strategy, rules: VenueRules): SampleInput {
  const first = tests[0]?.given
  const assumed: Given['feeds'] = {}
  for (const [name, feed] of Object.entries(feeds)) {
    const symbol = markets[feed.market]?.symbol ?? ''
    const [market, price] = [rules.markets.get(symbol), rules.prices.get(symbol)]
    if (!market || !price?.gt(0)) continue
    const tick = new Decimal(10).pow(-market.priceDigits)
    assumed[name] =
      feed.source === 'book'
        ? { bid: price.minus(tick), ask: price.plus(tick) }
        : { from: price, to: price, swing: assumedSwing }
  }
  const nothing = { balance: {}, main_balance: {}, position: {}, avg_entry: {} }
  const polled = { futures: {}, depth: {}, trades: {} }
  const more = { net_fills: {}, filled_levels: {}, open_hours: {}, signals: {}, ...polled }
  return {
    ...nothing,
    ...more,
    ...first,
    feeds: { ...assumed, ...first?.feeds },
    equity: first?.equity ?? assumedEquity,
  }
}

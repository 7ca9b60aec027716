import type { EngineHarness } from './engine-harness.ts'

/** A buy ladder in each of these markets, of which at most `active` are active: those with the highest price first. */
export function loopedMarkets(list: string, active: number, more = ''): string {
  return `version: 1
name: many
for_each:
  m: { markets: [${list}], active: ${active}, rank: last(px_$m), when: last(px_$m) > 50 }
feeds:
  px_$m: { source: candles, market: $m, interval: 1m }
ladder:
  dip_$m:
    market: $m
    side: buy
    anchor: last(px_$m) at episode_start
    levels: 2
    spacing: { kind: geometric, first: 1%, step: 1% }
    size: { total: 200 quote }
    exit: { tp: { from: avg_entry, pct: 2% } }
rules:
  - { id: place_$m, when: last(px_$m) > 0, do: [ensure: dip_$m] }
risk:
  max_notional: { total: 1000 }
  worst_case: { move: -30%, max_loss: 400 }
  drawdown: { pause: 50%, halt: 50% }
${more}`
}

/** The same close of a minute in each market. */
export function closes(harness: EngineHarness, prices: Readonly<Record<string, number>>): void {
  harness.at += 60_000
  for (const [market, price] of Object.entries(prices)) harness.settle(harness.quote(market, price, 0.02))
  const steps = Object.entries(prices).map(([market, price]) => harness.candle(market, '1m', price))
  for (const step of steps) harness.settle(step)
  harness.settle(harness.wait(1000))
  harness.settle(harness.wait(1000))
}

import { tradesRead, type TradesRead } from '#src/strategy/expressions/trades-read.ts'
import { HistoricalTrades } from './loop/historical-trades.ts'
import type { BacktestMarket } from './loop/loop-parts.ts'
import type { Scenario } from './scenario.ts'
import type { BacktestSimulation } from './simulation.ts'

/** The public trades of the markets that have a feed of them and a file of trades. */
export function tradesOf(
  { scene, recorder }: BacktestSimulation,
  places: readonly BacktestMarket[],
): HistoricalTrades {
  const markets = places.flatMap((place) => {
    const market = scene.markets.get(place.symbol)
    const wanted = readsOf(scene, place.symbol)
    const spans = [...new Set(wanted.flatMap((each) => each.spans))]
    const byPrice = wanted.some((each) => each.byPrice)
    return market?.kind === 'trades' && spans.length > 0 ? [{ place, market, spans, byPrice }] : []
  })
  return new HistoricalTrades(markets, (symbol, at) => recorder.polled('trades', symbol, at))
}

function readsOf({ strategies }: Scenario, symbol: string): TradesRead[] {
  return [...strategies.values()].flatMap(({ strategy, programs }) =>
    Object.entries(strategy.trades).flatMap(([name, { market }]) =>
      strategy.markets[market]?.symbol === symbol ? [tradesRead(programs, name)] : [],
    ),
  )
}

import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { BacktestMarket } from './loop/loop-parts.ts'
import { HistoricalFutures, type FuturesMarket } from './loop/historical-futures.ts'
import type { BacktestSimulation } from './simulation.ts'
import { callsOf } from './unknown-texts.ts'

/** The list of futures, for the markets that have a feed of them. */
export function futuresOf(
  { scene: { strategies, funding, futures }, exchange, recorder }: BacktestSimulation,
  places: readonly BacktestMarket[],
): HistoricalFutures {
  const reading = [...strategies.values()]
  const listed = new Set(reading.flatMap(symbolsOf))
  const calls = reading.flatMap(callsOf)
  const { state, venue } = exchange
  const markets = venue.trading.markets.flatMap((market): FuturesMarket[] => {
    const { name: symbol, number } = market
    const place = places.find((each) => each.symbol === symbol)
    if (!place || !listed.has(symbol)) return []
    const isPriced = calls.some(
      (call) => call.symbol === symbol && (call.name === 'mark' || call.name === 'index'),
    )
    // The index of a recorded market is its price, as its mark price is.
    const mark = () => Number(market.priceText(state.markets[number]?.mark ?? 0))
    const rates = funding.get(symbol)?.rates ?? []
    return [{ place, isPriced, rates, mark, listing: futures.get(symbol) }]
  })
  return new HistoricalFutures(markets, (symbol, at) => recorder.polled('futures', symbol, at))
}

function symbolsOf({ strategy: { futures, markets } }: Read): string[] {
  return Object.values(futures).flatMap(({ market }) => markets[market]?.symbol ?? [])
}

import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { SimulatedMarketState, SimulationState } from './simulation-records.ts'

/** A market with its market maker and its taker. */
export type MakerContext = ReturnType<typeof openMakerContext>

export function openMakerContext(
  trading: Trading,
  simulation: SimulationState,
  simulated: SimulatedMarketState,
) {
  const market = trading.markets[simulated.market]
  const maker = trading.accounts[simulation.maker - 1]
  const taker = trading.accounts[simulation.taker - 1]
  if (!market || !maker || !taker)
    throw new RangeError(`market ${simulated.market} has no market maker or no taker`)
  /** Index units in one tick of the market. */
  const perTick = 10 ** (9 - market.rules.priceDigits)
  return { trading, market, maker, taker, spot: market.rules.kind === 'spot', simulated, perTick }
}

import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { SimulationState } from './simulation-records.ts'
import { uniform } from './random.ts'
import { openMakerContext, type MakerContext } from './maker-context.ts'
import { updateQuotes } from './market-maker.ts'
import type { RecordedMarkets } from '#src/exchange/simulation/recorded/recorded-market.ts'
import { startRecordedSimulation } from '#src/exchange/simulation/recorded/recorded-simulation.ts'
import { placeTakerOrder } from './market-taker.ts'
import { moveIndexPrices, paceOf } from './index-prices.ts'
import { nextBasis, stepMs, volatilityChanges } from './price-walk.ts'

/** Mean time between two events of one market in quiet times. */
const eventMs = 350
const takersShare = 0.35

/** The running market simulation: it states the time of its next event and runs it. Nothing depends on requests. */
export function startMarketSimulation(
  trading: Trading,
  simulation: SimulationState,
  recorded: RecordedMarkets | undefined,
) {
  const contexts = simulation.stands.map((simulated) => openMakerContext(trading, simulation, simulated))
  const recordedSimulation =
    simulation.recorded &&
    recorded &&
    startRecordedSimulation(trading, simulation, simulation.recorded, recorded)

  /** Moves all indexes by one step. */
  function moveIndexes(at: number): void {
    moveIndexPrices(simulation, at)
    for (const { market, simulated, perTick } of contexts) {
      const index = simulation.indexes[simulated.index]
      if (index === undefined) continue
      mark(trading, market.number, Math.max(1, Math.round(index.units / perTick)))
      if (!volatilityChanges(simulation.steps)) continue
      simulated.pace = paceOf(simulation, index.walk)
      simulated.basis = nextBasis(simulated.basis, simulated.chance)
    }
    simulation.steps += 1
  }

  /** One event of one market: perhaps a taker order, and always an update of the maker's quotes. */
  function runMarketEvent(context: MakerContext, at: number): void {
    const { simulated, perTick } = context
    const { chance } = simulated
    if (uniform(chance) < takersShare) placeTakerOrder(context, at)
    updateQuotes(
      context,
      ((simulation.indexes[simulated.index]?.units ?? 0) * (1 + simulated.basis)) / perTick,
      at,
    )
    simulated.nextAt += 1 + Math.floor(((4 * eventMs) / simulated.pace) * uniform(chance) * uniform(chance))
  }

  /** When the indexes move next. */
  function nextIndexStepAt(): number {
    return simulation.indexes.length === 0 ? Infinity : simulation.beganAt + simulation.steps * stepMs
  }

  return {
    /** The time of the next event, in the exchange's time. */
    nextAt(): number {
      let next = nextIndexStepAt()
      for (const { nextAt } of simulation.stands) next = Math.min(next, nextAt)
      return Math.min(next + simulation.behindMs, recordedSimulation?.nextAt() ?? Infinity)
    },
    /** Runs what is due at that time: the indexes first, then the markets in the order of the world file. */
    run(at: number): void {
      const time = at - simulation.behindMs
      if (nextIndexStepAt() === time) {
        recordedSimulation?.passTo(at, false)
        moveIndexes(at)
        react(trading, at)
        recordedSimulation?.changed()
      }
      for (const context of contexts) {
        if (context.simulated.nextAt !== time) continue
        recordedSimulation?.passTo(at, false)
        runMarketEvent(context, at)
        react(trading, at)
        recordedSimulation?.changed()
      }
      recordedSimulation?.run(at)
    },
    recorded: recordedSimulation,
  }
}

/** The only place that sets a mark price from outside the book. */
function mark({ state }: Trading, market: number, ticks: number): void {
  const marketState = state.markets[market]
  if (marketState === undefined || marketState.mark === ticks) return
  marketState.mark = ticks
  state.stirred = true
}

/** From now on, the markets are further behind by this time, and their prices stand still for as long. */
export function restMarkets(flow: SimulationState, { at, ms }: { at: number; ms: number }): void {
  flow.behindMs += ms
  flow.restedUntil = Math.max(flow.restedUntil ?? at, at) + ms
}

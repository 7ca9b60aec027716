import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { SimulationState, Stand } from './simulation-records.ts'
import { bell, unit } from './random.ts'
import type { MakerContext } from './maker-context.ts'
import { quote } from './market-maker.ts'
import type { RecordedMarkets } from '#src/exchange/simulation/recorded/recorded-market.ts'
import { startRecordedSimulation } from '#src/exchange/simulation/recorded/recorded-simulation.ts'
import { take } from './market-taker.ts'
import { moodChanges, shapeOfDay, step, stepMs } from './price-walk.ts'

/** Mean time between two events of one market in quiet times. */
const eventMs = 350
const takersShare = 0.35
/**
 * Pull of the price back to its index: the distance is a few hundredths of a percent and halves in about half an hour.
 */
const basisPull = 0.0022
const basisPush = 0.000_013

/** The running market simulation: it states the time of its next event and runs it. Nothing depends on requests. */
export function startMarketSimulation(
  trading: Trading,
  flow: SimulationState,
  recorded: RecordedMarkets | undefined,
) {
  const desks = flow.stands.map((stand) => openDesk(trading, flow, stand))
  const repeated =
    flow.recorded && recorded && startRecordedSimulation(trading, flow, flow.recorded, recorded)

  /** Moves all indexes by one step. */
  function stepAll(at: number): void {
    const shape = shapeOfDay(at)
    const common = bell(flow.tide)
    for (const index of flow.indexes) {
      index.units = Math.round(step(index.walk, flow.steps, shape, common) * 1e9)
    }
    for (const { market, stand, perTick } of desks) {
      const index = flow.indexes[stand.index]
      if (index === undefined) continue
      mark(trading, market.number, Math.max(1, Math.round(index.units / perTick)))
      if (!moodChanges(flow.steps)) continue
      stand.pace = index.walk.pace
      stand.basis += basisPush * bell(stand.chance) - basisPull * stand.basis
    }
    flow.steps += 1
  }

  /** One event of one market: perhaps a taker order, and always an update of the maker's quotes. */
  function stir(desk: MakerContext, at: number): void {
    const { stand, perTick } = desk
    const { chance } = stand
    if (unit(chance) < takersShare) take(desk, at)
    quote(desk, ((flow.indexes[stand.index]?.units ?? 0) * (1 + stand.basis)) / perTick, at)
    stand.nextAt += 1 + Math.floor(((4 * eventMs) / stand.pace) * unit(chance) * unit(chance))
  }

  /** When the indexes move next. */
  function stepsAt(): number {
    return flow.indexes.length === 0 ? Infinity : flow.beganAt + flow.steps * stepMs
  }

  return {
    /** The time of the next event, in the exchange's time. */
    nextAt(): number {
      let next = stepsAt()
      for (const { nextAt } of flow.stands) next = Math.min(next, nextAt)
      return Math.min(next + flow.behindMs, repeated?.nextAt() ?? Infinity)
    },
    /** Runs what is due at that time: the indexes first, then the markets in the order of the world file. */
    run(at: number): void {
      const time = at - flow.behindMs
      if (stepsAt() === time) {
        repeated?.passTo(at, false)
        stepAll(at)
        react(trading, at)
        repeated?.changed()
      }
      for (const desk of desks) {
        if (desk.stand.nextAt !== time) continue
        repeated?.passTo(at, false)
        stir(desk, at)
        react(trading, at)
        repeated?.changed()
      }
      repeated?.run(at)
    },
    repeated,
  }
}

function openDesk(trading: Trading, flow: SimulationState, stand: Stand): MakerContext {
  const market = trading.markets[stand.market]
  const maker = trading.accounts[flow.maker - 1]
  const taker = trading.accounts[flow.taker - 1]
  if (!market || !maker || !taker) throw new RangeError(`market ${stand.market} has nobody who makes it`)
  let perTick = 1
  for (let digits = market.rules.priceDigits; digits < 9; digits++) perTick *= 10
  return { trading, market, maker, taker, spot: market.rules.kind === 'spot', stand, perTick }
}

/** The only place that sets a mark price from outside the book. */
function mark({ state }: Trading, market: number, ticks: number): void {
  const standing = state.markets[market]
  if (standing === undefined || standing.mark === ticks) return
  standing.mark = ticks
  state.stirred = true
}

import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import { RecordedReader, type RecordedMarkets } from './recorded-market.ts'
import type { RecordedSimulation, RecordedMarketState } from '#src/exchange/simulation/simulation-records.ts'

/** A recorded market: how far it has run, and when its next event is. */
export type RecordedContext = ReturnType<typeof openRecordedContext>

export function openRecordedContext(
  trading: Trading,
  simulation: RecordedSimulation,
  recorded: RecordedMarkets,
  progress: RecordedMarketState,
) {
  const market = trading.markets[progress.market]
  const marketState = trading.state.markets[progress.market]
  const publicTrades = trading.state.tapes[progress.market]
  const crowd = trading.accounts[simulation.crowd - 1]
  const file = recorded.files.find(({ markets }) => market !== undefined && markets.includes(market.name))
  if (!market || !marketState || !publicTrades || !crowd || !file) {
    throw new RangeError(`market ${progress.market} was not recorded`)
  }
  const { priceDigits, amountDigits, kind } = market.rules
  const { at, flow } = trading.state
  return {
    trading,
    market,
    marketState,
    publicTrades,
    progress,
    fill: simulation.fill,
    crowd,
    /** Flags of the crowd's orders. */
    flags: kind === 'spot' ? flag.spot : 0,
    /** Price units in one tick, and amount units in one lot. */
    perTick: 10 ** (9 - priceDigits),
    perLot: 10 ** (9 - amountDigits),
    kind: file.market.kind,
    points: new RecordedReader(file.market),
    /** Everything up to this time, in the time of the file, has happened. */
    passedTo: Math.max(at, flow?.restedUntil ?? 0) - simulation.laterMs - (flow?.behindMs ?? 0),
    /** A second reader of the same points, at the place up to which the public trades are written. */
    tradesReader: new RecordedReader(file.market),
    /**
     * The next event: its point, and its time on the line to that point, in the time of the file; Infinity if there is
     * none.
     */
    hit: 0,
    hitAt: 0,
    /** Whether `hit` or the quotes are stale. */
    hitStale: true,
    quotesStale: true,
    /** The last price for which the quotes were placed. */
    quotedTicks: 0,
  }
}

/** A recorded price in ticks of the market, rounded to the nearest. */
export function ticksOf({ perTick }: RecordedContext, units: number): number {
  return Math.max(1, Math.round(units / perTick))
}

/** The whole lots of an amount; a part of a lot does not trade. */
export function lotsOf({ perLot }: RecordedContext, amount: number): number {
  return Math.floor(amount / perLot)
}

/** The volume of the next point and its line that is still untraded. */
export function lotsLeft(context: RecordedContext): number {
  const { progress, points } = context
  const used = progress.used ?? 0
  if (used === allLots) return 0
  return lotsOf(context, points.block.amounts[progress.next - points.first] ?? 0) - used
}

/** More lots than any line has. */
export const allLots = Number.MAX_SAFE_INTEGER

/**
 * The crowd's quotes are numbered by the points, and its takes are counted, so that its order ids do not depend on when
 * requests arrive.
 */
const crowdOrders = ['take', 'take queued', 'bid', 'ask'] as const
type CrowdOrder = (typeof crowdOrders)[number]

export function crowdOrderId(
  { crowd, progress, trading }: RecordedContext,
  count: number,
  which: CrowdOrder,
): number {
  const number = count * trading.markets.length + progress.market
  return crowd.number * 1_000_000_000_000 + number * crowdOrders.length + crowdOrders.indexOf(which)
}

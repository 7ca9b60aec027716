import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag } from '#src/exchange/trading/book/order-columns.ts'
import type { MarketState } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import type { PublicTrades } from '#src/exchange/trades/public-trades.ts'
import type { PointsKind } from './price-lines.ts'
import { RecordedReader, type Fill, type RecordedMarkets } from './recorded-market.ts'
import type { RecordedSimulation, RecordedStand } from '#src/exchange/simulation/simulation-records.ts'

/** A recorded market, how far it has come, and what was found out about what comes next. */
export type RecordedContext = {
  trading: Trading
  market: Market
  standing: MarketState
  tape: PublicTrades
  stand: RecordedStand
  fill: Fill
  crowd: Trader
  /** Of the crowd's orders. */
  flags: number
  /** Units of a price in one tick, and of an amount in one lot. */
  perTick: number
  perLot: number
  kind: PointsKind
  points: RecordedReader
  /** Up to here, in the time of the file, everything has happened. */
  passedTo: number
  /** The tape is written from another place of the same points. */
  taping: RecordedReader
  /** What can matter next: the point, and when on the line to it, in the time of the file; Infinity when nothing does. */
  hit: number
  hitAt: number
  /** Whether something has happened that `hit` does not know of, or the quotes do not. */
  hitStale: boolean
  quotesStale: boolean
  /** The last price at which the quotes were set. */
  quotedTicks: number
}

export function openRecordedContext(
  trading: Trading,
  flow: RecordedSimulation,
  recorded: RecordedMarkets,
  stand: RecordedStand,
): RecordedContext {
  const market = trading.markets[stand.market]
  const standing = trading.state.markets[stand.market]
  const tape = trading.state.tapes[stand.market]
  const crowd = trading.accounts[flow.crowd - 1]
  const file = recorded.files.find(({ markets }) => market !== undefined && markets.includes(market.name))
  if (!market || !standing || !tape || !crowd || !file) {
    throw new RangeError(`market ${stand.market} was not recorded`)
  }
  const { priceDigits, amountDigits, kind } = market.rules
  return {
    trading,
    market,
    standing,
    tape,
    stand,
    fill: flow.fill,
    crowd,
    flags: kind === 'spot' ? flag.spot : 0,
    perTick: 10 ** (9 - priceDigits),
    perLot: 10 ** (9 - amountDigits),
    kind: file.market.kind,
    points: new RecordedReader(file.market),
    passedTo: trading.state.at - flow.laterMs - (trading.state.flow?.behindMs ?? 0),
    taping: new RecordedReader(file.market),
    hit: 0,
    hitAt: 0,
    hitStale: true,
    quotesStale: true,
    quotedTicks: 0,
  }
}

/** A recorded price in ticks of the market: the nearest. */
export function ticksOf({ perTick }: RecordedContext, units: number): number {
  return Math.max(1, Math.round(units / perTick))
}

/** The whole lots of an amount; a part of one does not trade. */
export function lotsOf({ perLot }: RecordedContext, amount: number): number {
  return Math.floor(amount / perLot)
}

/** The volume of the next point, and of the line to it, that is still untraded. */
export function lotsLeft(desk: RecordedContext): number {
  const { stand, points } = desk
  const used = stand.used ?? 0
  if (used === allLots) return 0
  return lotsOf(desk, points.block.amounts[stand.next - points.first] ?? 0) - used
}

/** More than any line has. */
export const allLots = Number.MAX_SAFE_INTEGER

/**
 * The crowd's quotes are numbered by the points, and the volume that it takes is counted, so that the ids of its orders do not
 * depend on the moments of requests.
 */
const crowdOrders = ['take', 'take queued', 'bid', 'ask'] as const
type CrowdOrder = (typeof crowdOrders)[number]

export function crowdOrderId(
  { crowd, stand, trading }: RecordedContext,
  count: number,
  which: CrowdOrder,
): number {
  const number = count * trading.markets.length + stand.market
  return crowd.number * 1_000_000_000_000 + number * crowdOrders.length + crowdOrders.indexOf(which)
}

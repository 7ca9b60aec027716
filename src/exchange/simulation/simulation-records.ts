import type { RandomState } from './random.ts'
import type { FillRule } from '#src/exchange/simulation/recorded/recorded-market.ts'
import type { MakerQuotes } from './maker-quotes.ts'
import type { MarketVolatility, Walk } from './price-walk.ts'
import type { RevertingWalk } from './reverting-walk.ts'

/** The state of the market simulation, as plain data: the same seed and time give the same trades. */
export type SimulationState = {
  beganAt: number
  /** How far the simulation is behind the exchange's time, because it does not run while the process is stopped. */
  behindMs: number
  /** Until this time the prices of recorded markets stand still. Absent if they never did. */
  restedUntil?: number
  /** Streams may have reported the simulation up to this time: after a crash it must advance at least to here. */
  toldUntil: number
  steps: number
  /** Random state of the market-wide movement. */
  tide: RandomState
  /** Absent in worlds that began before ADR 0030, whose prices are reverting walks. */
  volatility?: MarketVolatility
  indexes: IndexPrice[]
  /** In the order of the world file. */
  stands: SimulatedMarketState[]
  /** The numbers of its two accounts. */
  maker: number
  taker: number
  /** The recorded markets. */
  recorded: RecordedSimulation | undefined
}

/** A simulated index price, in units of 10^-9. */
export type IndexPrice = { units: number; walk: Walk | RevertingWalk }

/** The simulation state of one market. */
export type SimulatedMarketState = {
  market: number
  index: number
  chance: RandomState
  nextAt: number
  /** Distance of the market price from its index, as a share of the price. */
  basis: number
  /** Recent side of the takers: -1 all sold, 1 all bought. */
  herd: number
  /** Activity, 1 on average. */
  pace: number
  bids: MakerQuotes
  asks: MakerQuotes
}

/** How far the recorded markets have run; their points are not stored here. */
export type RecordedSimulation = {
  /** Shift of the points' times. */
  laterMs: number
  fill: FillRule
  /** The number of the account that stands for all recorded traders. */
  crowd: number
  /** In the order of the world file. */
  stands: RecordedMarketState[]
}

export type RecordedMarketState = {
  market: number
  /** The next point, counted from 0. */
  next: number
  /** Lots that have traded on the line to it; Infinity if its volume is used up. */
  used?: number
  /** Number of the crowd's takes. */
  takes?: number
  /** The value of `next` at the last update of the crowd's quotes; -1 before the first. */
  quotedAt: number
  /** The crowd's two quotes: a row is theirs while its order has this id. */
  bid: { row: number; id: number }
  ask: { row: number; id: number }
  /** Number of points in the public trades, which are written when they are read. */
  taped: number
  /** Whether the last price change was a rise. */
  rose: boolean
}

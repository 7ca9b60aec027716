import type { RandomState } from './random.ts'
import type { Fill } from '#src/exchange/simulation/recorded/recorded-market.ts'
import type { MakerQuotes } from './maker-quotes.ts'
import type { Walk } from './price-walk.ts'

/** What moves markets by itself, as plain data of the state: the same seed and time give the same trades. */
export type SimulationState = {
  beganAt: number
  /** How far it is behind the venue's time, since it rests while nobody runs it. */
  behindMs: number
  /** Up to here somebody may have been told what it does: after a crash it comes at least as far again. */
  toldUntil: number
  steps: number
  /** Chance that all assets share. */
  tide: RandomState
  indexes: Index[]
  /** In the order of the world file. */
  stands: Stand[]
  /** The numbers of its two traders. */
  maker: number
  taker: number
  /** The markets that do what they once did. */
  recorded: RecordedSimulation | undefined
}

/** A price that markets follow, in units of 10^-9. */
export type Index = { units: number; walk: Walk }

/** The flow of one market. */
export type Stand = {
  market: number
  index: number
  chance: RandomState
  nextAt: number
  /** How far the market stands above its index, of the price. */
  basis: number
  /** Which side takers have been on lately: -1 all sold, 1 all bought. */
  herd: number
  /** How much happens, 1 on average. */
  pace: number
  bids: MakerQuotes
  asks: MakerQuotes
}

/** How far recorded markets have come; their points are not in here. */
export type RecordedSimulation = {
  /** How much later than they came their points come again. */
  laterMs: number
  fill: Fill
  /** The number of the trader who stands for everybody who traded then. */
  crowd: number
  /** In the order of the world file. */
  stands: RecordedStand[]
}

export type RecordedStand = {
  market: number
  /** The point that comes next, counted from 0. */
  next: number
  /** Lots that have traded on the line to it; Infinity where it has nothing to give any more. */
  used?: number
  /** How often the crowd has taken. */
  takes?: number
  /** What `next` was when the crowd's quotes were set; -1 before that. */
  quotedAt: number
  /** The crowd's two quotes; their rows are theirs as long as the ids are. */
  bid: { row: number; id: number }
  ask: { row: number; id: number }
  /** How many points are on the tape: it is written when somebody reads it. */
  taped: number
  /** Whether the price rose when it changed last. */
  rose: boolean
}

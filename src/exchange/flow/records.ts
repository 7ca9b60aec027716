import type { Chance } from './chance.ts'
import type { Quotes } from './quotes.ts'
import type { Walk } from './walk.ts'

/** What moves markets by itself, as plain data of the state: the same seed and time give the same trades. */
export type Flow = {
  beganAt: number
  /** How far it is behind the venue's time, since it rests while nobody runs it. */
  behindMs: number
  /** Up to here somebody may have been told what it does: after a crash it comes at least as far again. */
  toldUntil: number
  steps: number
  /** Chance that all assets share. */
  tide: Chance
  indexes: Index[]
  /** In the order of the world file. */
  stands: Stand[]
  /** The numbers of its two traders. */
  maker: number
  taker: number
}

/** A price that markets follow, in units of 10^-9: that of the recording in the same place, or of a walk. */
export type Index = { units: number; walk: Walk | undefined }

/** The flow of one market. */
export type Stand = {
  market: number
  index: number
  chance: Chance
  nextAt: number
  /** How far the market stands above its index, of the price. */
  basis: number
  /** Which side takers have been on lately: -1 all sold, 1 all bought. */
  herd: number
  /** How much happens, 1 on average. */
  pace: number
  bids: Quotes
  asks: Quotes
}

import type { BlockKind } from '#src/engine/risk/risk-gate.ts'
import type { Order, RungState } from '#src/engine/state/state.ts'

/** A reason has changed if its kind, or the kind of the block, has changed; numbers in its text do not count. */
export type Reason = { kind: ReasonKind; block?: BlockKind; why: string; change: string }

export type ReasonKind =
  | 'risk'
  | 'goal'
  | 'filled'
  | 'cooldown'
  | 'signal'
  | 'frozen'
  | 'omitted'
  | 'refused'
  | 'size'
  | 'waits'
  | 'unread'
  | 'unpriced'
  | 'beyond'
  | 'window'
  | 'crowded'
  | 'behind'
  | 'stays'
  | 'former order'
  | 'young order'
  | 'doubtful'

/**
 * Status of a rung: its order, or the first reason why it has none. With neither, the rung is ready to be placed, if the risk
 * gate approves it.
 */
export type RungStatus = {
  rung: RungState
  order: Order | null
  /** Whether the order has the price and amount of the rung. */
  fits: boolean
  /** So far beyond the window that the order is cancelled. */
  isFar: boolean
  reason: Reason | null
}

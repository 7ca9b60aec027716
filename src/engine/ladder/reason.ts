import type { BlockKind } from '#src/engine/risk/risk-gate.ts'

/** A reason is news when its kind changes, or the kind of the block; numbers in the words are none. */
export type Reason = { kind: ReasonKind; block?: BlockKind; why: string; change: string }

export type ReasonKind =
  | 'risk'
  | 'goal'
  | 'filled'
  | 'cooldown'
  | 'frozen'
  | 'refused'
  | 'waits'
  | 'unread'
  | 'unpriced'
  | 'beyond'
  | 'window'
  | 'crowded'
  | 'behind'
  | 'stays'
  | 'former order'
  | 'doubtful'

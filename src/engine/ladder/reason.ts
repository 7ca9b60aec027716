import type { BlockKind } from '#src/engine/risk/risk-gate.ts'

/** A reason has changed if its kind, or the kind of the block, has changed; numbers in its text do not count. */
export type Reason = { kind: ReasonKind; block?: BlockKind; why: string; change: string }

export type ReasonKind =
  | 'risk'
  | 'goal'
  | 'filled'
  | 'cooldown'
  | 'frozen'
  | 'omitted'
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

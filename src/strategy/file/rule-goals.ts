import { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

type Action = Strategy['rules'][number]['do'][number]
export type CloseAction = NonNullable<Action['close']>

const defaultSlippage = new Decimal('0.005')

/** How much worse than the best price immediate orders of an action may trade. */
export function slippageOf({ slippage = defaultSlippage }: CloseAction): Decimal {
  return slippage
}

type Ladders = Readonly<Record<string, { market: string }>>

export type ActionGoal = {
  ladder: string
  goal: 'ensure' | 'freeze' | 'retire'
  /** The position is closed, too. */
  close?: CloseAction
}

/** What an action wants of ladders. To close the whole position of a ladder also cancels its orders. */
export function goalsOf({ ensure, freeze, retire, close }: Action, ladders: Ladders): ActionGoal[] {
  if (ensure !== undefined) return [{ ladder: ensure, goal: 'ensure' }]
  if (freeze !== undefined) return [{ ladder: freeze, goal: 'freeze' }]
  if (retire !== undefined) return [{ ladder: retire, goal: 'retire' }]
  if (close === undefined || close.share !== undefined) return []
  return laddersClosed(close.of, ladders).map((ladder) => ({ ladder, goal: 'retire', close }))
}

/** A name is that of a ladder or of a market. */
export function laddersClosed(of: string, ladders: Ladders): string[] {
  if (Object.hasOwn(ladders, of)) return [of]
  return Object.keys(ladders).filter((name) => ladders[name]?.market === of)
}

import { Decimal } from '#src/core/money/decimal.ts'
import { resultPartsOf } from '#src/engine/holdings/pair-sums.ts'
import { drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'
import { exitsLeft } from '#src/engine/rules/halts.ts'
import type { ExitsLeft, LadderState, Order, State, StrategyState } from '#src/engine/state/state.ts'

/** What status and tables both show of a strategy. */
export type StrategyFields = {
  running: boolean
  halted: string | null
  /** Whether exits work during the halt. */
  exits: ExitsLeft
  result: string
  /** Distance of the result from its maximum. */
  drawdown: string
  maxDrawdown: string
  fees: string
  /** Entry orders that were closed in full, the profit of their matched pairs after fees, and the rest of the result. */
  pairs: number
  gridProfit: string
  /** Unrealized profit. */
  floating: string
  /** Result from before pairs were counted. */
  earlier: string
}

export function strategyFields({ running }: State, name: string, own: StrategyState): StrategyFields {
  const { halted, holdings, worth } = own
  const fees = Object.values(holdings).reduce((sum, each) => sum.plus(each.fees), new Decimal(0))
  return {
    running: running.includes(name),
    halted,
    exits: exitsLeft(own),
    result: worth.result,
    ...drawdownOf(worth),
    fees: fees.toFixed(),
    ...resultPartsOf(own),
  }
}

/** What status and tables both show of a ladder. */
export type LadderFields = Pick<LadderState, 'goal' | 'episode' | 'anchor' | 'writtenOff'> & {
  rungs: number
  /** Rungs with a resting order; resting exits do not count. */
  resting: number
  /** Why the ladder has no rungs, or places no orders. */
  missing: string | null
}

export function ladderFields(state: State, ladder: LadderState): LadderFields {
  const { goal, episode, anchor, rungs, writtenOff } = ladder
  const missing = ladder.missing ?? ladder.frozen ?? ladder.exits.tooSmall?.why ?? null
  const resting = rungs.filter(({ level }) => orderOf(state, ladder, level)?.status === 'resting').length
  return { goal, episode, anchor, rungs: rungs.length, resting, missing, writtenOff }
}

/** The open order of a rung. */
export function orderOf({ orders }: State, { open }: LadderState, level: string): Order | undefined {
  const id = open[level]
  return id === undefined ? undefined : orders[id]
}

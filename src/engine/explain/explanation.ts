/**
 * Explains a ladder: one record whenever the reason of one of its rungs changes. It contains its inputs, so that the decision can
 * be repeated.
 */
export type Explanation = {
  at: number
  strategy: string
  ladder: string
  goal: string
  anchor: string | null
  /** What an operator has written off of its position. */
  writtenOff: string | null
  /** The state of each evaluated rule, with the values of its comparisons. */
  rules: { id: string; truth: string; fired: boolean; leaves: { text: string; value: string }[] }[]
  lets: { name: string; text: string }[]
  rungs: RungExplanation[]
  /**
   * The inputs as plain data: readings, holdings, progress, account. Null where they are those of the explanation before it, of
   * the same step and strategy.
   */
  seen: unknown
}

export type RungExplanation = {
  level: string
  side: 'buy' | 'sell'
  price: string
  amount: string
  order: string | null
  state: 'resting' | 'sent' | 'doubtful' | 'filled' | 'missing'
  /** For a missing rung: the first block, and the smallest change that would remove it. */
  why: string | null
  change: string | null
}

/** The explanations of one step, each with its inputs. */
export function wholeExplanations(decisions: readonly Explanation[]): Explanation[] {
  const seen = new Map<string, unknown>()
  return decisions.map((decision) => {
    if (decision.seen !== null) seen.set(decision.strategy, decision.seen)
    return { ...decision, seen: seen.get(decision.strategy) ?? null }
  })
}

/**
 * Why things are as they are: one record of a ladder whenever the answer changes for one of its rungs. It carries what was
 * seen, so that anybody can judge it again.
 */
export type Explanation = {
  at: number
  strategy: string
  ladder: string
  goal: string
  anchor: string | null
  /** What an operator has written off of its position. */
  writtenOff: string | null
  /** The state of each rule that was looked at, with the values of its leaves. */
  rules: { id: string; truth: string; fired: boolean; leaves: { text: string; value: string }[] }[]
  lets: { name: string; text: string }[]
  rungs: RungExplanation[]
  /**
   * The inputs as plain data: readings, holdings, progress, account. Null where they are those of the decision before it, of
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
  /** Of what is missing: the first thing that stands in the way, and the smallest change that would remove it. */
  why: string | null
  change: string | null
}

/** The decisions of one step, each with what was seen. */
export function wholeExplanations(decisions: readonly Explanation[]): Explanation[] {
  const seen = new Map<string, unknown>()
  return decisions.map((decision) => {
    if (decision.seen !== null) seen.set(decision.strategy, decision.seen)
    return { ...decision, seen: seen.get(decision.strategy) ?? null }
  })
}

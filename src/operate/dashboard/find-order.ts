import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Explanation, RungExplanation } from '#src/engine/explain/explanation.ts'
import { exitName } from '#src/engine/exits/exit-labels.ts'
import { exitStatuses, type ExitStatus } from '#src/engine/exits/exit-reasons.ts'
import { pairsOf } from '#src/engine/holdings/pair-matching.ts'
import { rungPairsOf, type RungPairs } from '#src/engine/holdings/pair-sums.ts'
import { priceOf } from '#src/engine/state/prices.ts'
import { refreshContext } from '#src/engine/rules/expression-context.ts'
import type { State } from '#src/engine/state/state.ts'
import type { StoredExplanation, History, SentRequest } from '#src/journal/port.ts'
import { withShortNumbers } from '#src/core/money/decimal.ts'

export type OrderQuery = { strategy: string; ladder: string; level: string; order: string | null }
/** What the journal says of an order or a rung. */
export type OrderRecord = OrderQuery & {
  decided: StoredExplanation | null
  rung: RungExplanation | null
  /** Where it is no rung but a way out of what is held now. */
  exit: ExitStatus | null
  /** What a rung has made in matched pairs, and what of it is open; null for an order, an exit, and before its first fill. */
  pairs: RungPairs | null
  sendings: SentRequest[]
}
/** What is asked for only where an exit or a rung is meant: it may have to be made again from the journal. */
export type Present = () => { state: State; known: ReadonlyMap<string, Compiled> }

/** STRATEGY.LADDER.LEVEL, or the client_order_id of an order; undefined for what is neither. */
export function askedFor(what: string): OrderQuery | undefined {
  const [strategy = '', ladder = '', level = '', generation, ...more] = what.split('.')
  if (strategy === '' || ladder === '' || level === '' || more.length > 0) return undefined
  return { strategy, ladder, level, order: generation === undefined ? null : what }
}

/** Undefined where the journal knows nothing of it. */
export function findIn(history: History, asked: OrderQuery, present: Present): OrderRecord | undefined {
  const latest = history.decided(asked.strategy, asked.ladder)
  const now = latest?.decision.rungs.find(({ level }) => level === asked.level) ?? null
  const found =
    now === null && (asked.order === null || isMirror(asked)) ? wayOut(present(), asked) : undefined
  // If a later order has the same label, only the record of its sending explains this one.
  const way = asked.order === null || asked.order === found?.order ? found : undefined
  const order = asked.order ?? now?.order ?? way?.order ?? null
  const sendings = order === null ? [] : history.sendings(order)
  // An order is asked about by what led to it; what its rung is now is told only as long as the rung is this order.
  const rung = asked.order === null || asked.order === now?.order ? now : null
  const isExit = way !== undefined || sendings[0]?.command.priority === 'exits'
  // Rules decide about entries; an exit has its reason beside it.
  const decided = isExit ? null : asked.order === null ? latest : (sendings[0]?.decided ?? null)
  const exit = way?.exit ?? null
  if (decided === null && exit === null && sendings.length === 0) return undefined
  const pairs = asked.order === null && now !== null ? pairsAt(present(), asked) : null
  return { ...asked, order, decided, rung, exit, pairs, sendings }
}

function pairsAt(
  { state, known }: ReturnType<Present>,
  { strategy, ladder, level }: OrderQuery,
): RungPairs | null {
  const compiled = known.get(strategy)
  const laddered = compiled?.ladders.find(({ name }) => name === ladder)
  const holding = laddered && state.strategies[strategy]?.holdings[laddered.file.market]
  if (!compiled || !holding) return null
  const price = priceOf(state, compiled.strategy, laddered.symbol)?.price
  return rungPairsOf(pairsOf(holding), price).get(`${ladder}.${level}`) ?? null
}

function isMirror({ level }: OrderQuery): boolean {
  return exitName(level) === 'mirror'
}

/** An exit by the label that its orders have, with the last of them. */
function wayOut({ state, known }: ReturnType<Present>, { strategy, ladder, level }: OrderQuery) {
  const compiled = known.get(strategy)
  const laddered = compiled?.ladders.find(({ name }) => name === ladder)
  // What a person asks for becomes a key only where such a strategy and such a ladder are known.
  const own = compiled && state.strategies[strategy]
  const mine = laddered && own?.ladders[ladder]
  if (!compiled || !own || !laddered || !mine) return undefined
  refreshContext(state, compiled, own)
  const exit = exitStatuses(state, compiled, laddered, mine).find(({ label }) => label === level)
  const generation = Object.hasOwn(mine.generations, level) ? mine.generations[level] : undefined
  if (!exit && generation === undefined) return undefined
  return {
    exit: exit ?? null,
    order: generation === undefined ? null : `${strategy}.${ladder}.${level}.${generation}`,
  }
}

/** The same for somebody who reads it: values of expressions without the noise of their last digits. */
export function readable(found: OrderRecord): OrderRecord {
  const { decided, rung } = found
  return {
    ...found,
    decided: decided && { ...decided, decision: readableDecision(decided.decision) },
    rung: rung && { ...rung, change: rung.change === null ? null : withShortNumbers(rung.change) },
  }
}

function readableDecision(decision: Explanation): Explanation {
  return {
    ...decision,
    lets: decision.lets.map(({ name, text }) => ({ name, text: withShortNumbers(text) })),
    rules: decision.rules.map((rule) => ({
      ...rule,
      leaves: rule.leaves.map(({ text, value }) => ({ text, value: withShortNumbers(value) })),
    })),
  }
}

import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Explanation, RungExplanation } from '#src/engine/explain/explanation.ts'
import { exitFormOf } from '#src/engine/exits/exit-forms.ts'
import { exitStatuses, type ExitStatus } from '#src/engine/exits/exit-reasons.ts'
import { orderIdOf } from '#src/engine/orders/order-ids.ts'
import { pairsOf } from '#src/engine/holdings/pair-matching.ts'
import { rungPairsOf, type RungPairs } from '#src/engine/holdings/pair-sums.ts'
import { priceOf } from '#src/engine/state/prices.ts'
import { refreshContext } from '#src/engine/rules/expression-context.ts'
import type { State } from '#src/engine/state/state.ts'
import type { StoredExplanation, History, SentRequest } from '#src/journal/port.ts'
import { withShortNumbers } from '#src/core/money/decimal.ts'
import { stopsAtVenue } from '#src/engine/state/open-orders.ts'
import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'

export type OrderQuery = { strategy: string; ladder: string; level: string; order: string | null }
/** The journal's record of an order or a rung. */
export type OrderRecord = OrderQuery & {
  decided: StoredExplanation | null
  /** A rung may have moved since its order was sent: with an order, price and amount are those of the order. */
  rung: RungExplanation | null
  /** The anchor of the ladder when the order was sent, if that decision is known; without an order, its current anchor. */
  anchor: string | null
  /** For an exit of the current position. */
  exit: ExitStatus | null
  /** Matched pairs of a rung and its open amount; null for an order, an exit, and before the first fill. */
  pairs: RungPairs | null
  sendings: SentRequest[]
}
/** Called only for exits and rungs, because restoring the state from the journal takes time. */
export type CurrentState = () => { state: State; known: ReadonlyMap<string, Compiled> }

/** Reads STRATEGY.LADDER.LEVEL or a client_order_id; undefined for other text. */
export function parseOrderQuery(what: string): OrderQuery | undefined {
  const [strategy = '', ladder = '', level = '', generation, ...more] = what.split('.')
  if (strategy === '' || ladder === '' || level === '' || more.length > 0) return undefined
  return { strategy, ladder, level, order: generation === undefined ? null : what }
}

/** Undefined if the journal has no record. */
export function findOrder(
  history: History,
  asked: OrderQuery,
  present: CurrentState,
): OrderRecord | undefined {
  const latest = history.decided(asked.strategy, asked.ladder)
  const now = latest?.decision.rungs.find(({ level }) => level === asked.level) ?? null
  const mayBeExit = asked.order === null || exitFormOf(asked.level) !== undefined
  const found = now === null && mayBeExit ? exitOf(present(), asked) : undefined
  // If a later order has the same label, only the record of its sending explains this one.
  const way = asked.order === null || asked.order === found?.order ? found : undefined
  const order = asked.order ?? now?.order ?? way?.order ?? null
  const sendings = order === null ? [] : history.sendings(order)
  // An order is asked about by what led to it; what its rung is now is told only as long as the rung is this order.
  const isCurrent = asked.order === null || asked.order === now?.order
  const last = sendings.at(-1)
  const rung = now !== null && isCurrent ? asSent(now, last) : null
  const anchor = (last ? last.decided : latest)?.decision.anchor ?? null
  const isExit = way !== undefined || sendings[0]?.command.priority === 'exits'
  // Rules decide about entries; an exit carries its own reason.
  const decided = isExit ? null : asked.order === null ? latest : (sendings[0]?.decided ?? null)
  const exit = way?.exit ?? null
  if (decided === null && exit === null && sendings.length === 0) return undefined
  const pairs = asked.order === null && now !== null ? pairsAt(present(), asked) : null
  return { ...asked, order, decided, rung, anchor, exit, pairs, sendings }
}

function asSent(rung: RungExplanation, sending: SentRequest | undefined): RungExplanation {
  const sent = sending?.command.orders.find(({ id }) => id === rung.order)
  return sent === undefined ? rung : { ...rung, price: sent.price, amount: sent.amount }
}

function pairsAt(
  { state, known }: ReturnType<CurrentState>,
  { strategy, ladder, level }: OrderQuery,
): RungPairs | null {
  const compiled = known.get(strategy)
  const laddered = compiled?.ladders.find(({ name }) => name === ladder)
  const holding = laddered && state.strategies[strategy]?.holdings[laddered.file.market]
  if (!compiled || !holding) return null
  const price = priceOf(state, compiled.strategy, laddered.symbol)?.price
  return rungPairsOf(pairsOf(holding), price).get(`${ladder}.${level}`) ?? null
}

/** The exit with this label, and its last order. */
function exitOf({ state, known }: ReturnType<CurrentState>, { strategy, ladder, level }: OrderQuery) {
  const compiled = known.get(strategy)
  const laddered = compiled?.ladders.find(({ name }) => name === ladder)
  // The query is used as a key only if such a strategy and such a ladder exist.
  const own = compiled && state.strategies[strategy]
  const mine = laddered && own?.ladders[ladder]
  if (!compiled || !own || !laddered || !mine) return undefined
  refreshContext(state, compiled, own)
  const place = { state, scene: compiled, ladder: laddered, own: mine }
  const exit = exitStatuses(place).find(({ label }) => label === level)
  // While a new stop at the venue replaces an old one, its label has a number.
  const stop = level === wholeLabels.stop ? [...stopsAtVenue(state, mine)].at(-1) : undefined
  const generation = Object.hasOwn(mine.generations, level) ? mine.generations[level] : undefined
  if (!exit && generation === undefined) return undefined
  const last =
    generation === undefined ? null : orderIdOf(state, { strategy, ladder, label: level }, generation)
  return { exit: exit ?? null, order: stop?.id ?? last }
}

/** Shortens values of expressions, for people. */
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

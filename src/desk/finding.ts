import type { Decision, RungDecision } from '#src/engine/decisions.ts'
import type { Decided, History, Sending } from '#src/journal/history.ts'
import { withShortNumbers } from '#src/money/decimal.ts'

export type Asked = { strategy: string; ladder: string; level: string; order: string | null }
/** What the journal says of an order or a rung. */
export type Found = Asked & { decided: Decided | null; rung: RungDecision | null; sendings: Sending[] }

/** STRATEGY.LADDER.LEVEL, or the client_order_id of an order; undefined for what is neither. */
export function askedFor(what: string): Asked | undefined {
  const [strategy = '', ladder = '', level = '', generation, ...more] = what.split('.')
  if (strategy === '' || ladder === '' || level === '' || more.length > 0) return undefined
  return { strategy, ladder, level, order: generation === undefined ? null : what }
}

/** Undefined where the journal knows nothing of it. */
export function findIn(history: History, asked: Asked): Found | undefined {
  const latest = history.decided(asked.strategy, asked.ladder)
  const now = latest?.decision.rungs.find(({ level }) => level === asked.level) ?? null
  const order = asked.order ?? now?.order ?? null
  const sendings = order === null ? [] : history.sendings(order)
  // An order is asked about by what led to it; what its rung is now is told only as long as the rung is this order.
  const rung = asked.order === null || asked.order === now?.order ? now : null
  const decided = asked.order === null ? latest : (sendings[0]?.decided ?? null)
  return decided === null && sendings.length === 0 ? undefined : { ...asked, order, decided, rung, sendings }
}

/** The same for somebody who reads it: values of expressions without the noise of their last digits. */
export function readable(found: Found): Found {
  const { decided, rung } = found
  return {
    ...found,
    decided: decided && { ...decided, decision: readableDecision(decided.decision) },
    rung: rung && { ...rung, change: rung.change === null ? null : withShortNumbers(rung.change) },
  }
}

function readableDecision(decision: Decision): Decision {
  return {
    ...decision,
    lets: decision.lets.map(({ name, text }) => ({ name, text: withShortNumbers(text) })),
    rules: decision.rules.map((rule) => ({
      ...rule,
      leaves: rule.leaves.map(({ text, value }) => ({ text, value: withShortNumbers(value) })),
    })),
  }
}

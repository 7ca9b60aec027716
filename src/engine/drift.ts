import { Decimal } from '#src/money/decimal.ts'
import type { Event } from './events.ts'
import type { Drift } from './state.ts'
import type { Turn } from './turn.ts'

/** So often in a row positions must differ in the same way: fills that we have not read yet differ each time. */
const timesUntilTold = 3

export function newDrift(): Drift {
  return { foreign: false, base: null, suspect: null }
}

/** Somebody else trades on our account: nothing is done about it, but nobody may overlook it. */
export function takeForeign({ state, notes }: Turn, { orders }: Extract<Event, { kind: 'foreign' }>): void {
  state.drift.foreign = true
  for (const order of orders)
    notes.push({ type: 'drift', at: state.at, message: `An order that no strategy has placed: ${order}` })
}

/**
 * The positions of the venue must be what they were when we began, and what our own fills come to. What differs in the same
 * way for some time was done by somebody else, or we have missed something.
 */
export function takePositions(
  { state, notes, known }: Turn,
  { held }: Extract<Event, { kind: 'positions' }>,
): void {
  const { drift } = state
  const surplus = new Map<string, Decimal>()
  const add = (market: string, amount: Decimal) => surplus.set(market, amount.plus(surplus.get(market) ?? 0))
  for (const [market, { long, short }] of Object.entries(held)) add(market, new Decimal(long).minus(short))
  for (const [name, { holdings }] of Object.entries(state.strategies)) {
    const aliases = known.get(name)?.strategy.markets
    for (const [alias, { position }] of Object.entries(holdings))
      add(aliases?.[alias]?.symbol ?? alias, new Decimal(position).neg())
  }
  drift.base ??= Object.fromEntries([...surplus].map(([market, amount]) => [market, amount.toFixed()]))
  for (const [market, amount] of Object.entries(drift.base)) add(market, new Decimal(amount).neg())
  const strange = [...surplus].filter(([, amount]) => !amount.isZero()).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = strange
    .map(([market, amount]) => `${amount.gt(0) ? '+' : ''}${amount.toFixed()} in ${market}`)
    .join(', ')
  if (text === '') drift.suspect = null
  else if (drift.suspect?.text === text) drift.suspect.times += 1
  else drift.suspect = { text, times: 1 }
  if (drift.suspect?.times !== timesUntilTold) return
  const message = `The positions at the venue are not what our fills come to: ${text}`
  notes.push({ type: 'drift', at: state.at, message })
}

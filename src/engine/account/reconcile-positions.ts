import { Decimal } from '#src/core/money/decimal.ts'
import type { Event, Positions } from '#src/engine/events.ts'
import { haltStrategy } from '#src/engine/rules/halts.ts'
import { openOrdersOf } from '#src/engine/state/open-orders.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import type { Drift } from '#src/engine/state/drift.ts'
import type { Held, State } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'

/** How many readings in a row must show the same difference: fills that we have not read yet give a different one each time. */
const timesUntilTold = 3

/** Whether the positions differ, but for fewer readings than a drift needs. */
export function isDriftUnsure({ drift }: State): boolean {
  return drift.suspect !== null && drift.suspect.times < timesUntilTold
}

type Sides = { long: Decimal; short: Decimal }
type Compared = { there: Sides; ours: Sides }
type Lack = Drift['lacking'][string]

/** Reports orders of others on our account. The engine ignores them otherwise. */
export function reportExternalOrders(
  { state, notes }: StepContext,
  { orders }: Extract<Event, { kind: 'foreign' }>,
): void {
  state.drift.foreign = true
  for (const order of orders)
    notes.push({ type: 'drift', at: state.at, message: `An order that no strategy has placed: ${order}` })
}

/**
 * Compares the positions of the venue with those at the start plus our own fills. A difference that stays the same for longer
 * than the venue needs to list its cause is a drift: others have traded, or the bot has missed a fill.
 */
export function reconcilePositions(context: StepContext, { held, unlisted = [] }: Positions): void {
  const { state, notes } = context
  const { drift } = state
  drift.shown = structuredClone(held)
  const markets = comparedIn(context, held)
  const surplusIn = (market: string) =>
    netOf(sidesIn(markets, market).there).minus(netOf(sidesIn(markets, market).ours))
  drift.base ??= Object.fromEntries(
    [...markets].map(([market, { ours }]) => {
      const surplus = surplusIn(market)
      // A lack at the first reading is ours: no position of others existed before it.
      return [market, surplus.times(netOf(ours)).lt(0) ? '0' : surplus.toFixed()]
    }),
  )
  for (const market of Object.keys(drift.base)) sidesIn(markets, market)
  const differing = [...markets.keys()]
    .map((market) => ({ market, amount: surplusIn(market).minus(drift.base?.[market] ?? 0) }))
    .filter(({ amount }) => !amount.isZero())
    .sort((a, b) => (a.market < b.market ? -1 : 1))
  const strange = differing.filter(({ market, amount }) => !mayHaveFilled(state, unlisted, market, amount))
  const text = strange
    .map(({ market, amount }) => `${amount.gt(0) ? '+' : ''}${amount.toFixed()} in ${market}`)
    .join(', ')
  const times = suspect(state, text)
  if (times === timesUntilTold) {
    const cause = drift.foreign
      ? 'orders that no strategy has placed trade on this account'
      : 'no order of others is known, so the journal may be older than the account, or the venue has changed a position'
    const message = `The positions at the venue differ from the fills of the bot: ${text}; ${cause}`
    notes.push({ type: 'drift', at: state.at, message })
  }
  const lacking = new Map(
    differing.flatMap(({ market, amount }) => lackIn(market, amount, sidesIn(markets, market))),
  )
  for (const market of Object.keys(drift.lacking)) if (!lacking.has(market)) delete drift.lacking[market]
  if (times < timesUntilTold) return
  for (const [market, lack] of lacking)
    if (strange.some((each) => each.market === market)) miss(context, market, lack)
}

function comparedIn(context: StepContext, held: Positions['held']): Map<string, Compared> {
  const markets = new Map<string, Compared>()
  for (const [market, { long, short }] of Object.entries(held))
    sidesIn(markets, market).there = { long: new Decimal(long), short: new Decimal(short) }
  for (const { market, position } of holdingsOf(context)) {
    const { ours } = sidesIn(markets, market)
    if (position.gt(0)) ours.long = ours.long.plus(position)
    else ours.short = ours.short.minus(position)
  }
  return markets
}

/** How many readings in a row have shown this difference; only differences older than the venue's lists count. */
function suspect({ at, venue, drift }: State, text: string): number {
  if (text === '') drift.suspect = null
  else if (drift.suspect?.text !== text) drift.suspect = { text, times: 0, since: at }
  if (drift.suspect === null) return 0
  const since = (drift.suspect.since ??= at)
  if (at - since >= (venue.settleMs ?? 0)) drift.suspect.times += 1
  return drift.suspect.times
}

/** Whether fills of orders that are in no list yet could explain this difference. */
function mayHaveFilled(
  { orders }: State,
  unlisted: readonly string[],
  market: string,
  amount: Decimal,
): boolean {
  const side = amount.gt(0) ? 'buy' : 'sell'
  const most = unlisted.reduce((sum, id) => {
    const order = orders[id]
    return order?.market === market && order.side === side ? sum.plus(leftOf(order)) : sum
  }, new Decimal(0))
  return amount.abs().lte(most)
}

function sidesIn(markets: Map<string, Compared>, market: string): Compared {
  const sides = markets.get(market) ?? { there: nothing(), ours: nothing() }
  markets.set(market, sides)
  return sides
}

function nothing(): Sides {
  return { long: new Decimal(0), short: new Decimal(0) }
}

function netOf({ long, short }: Sides): Decimal {
  return long.minus(short)
}

function holdingsOf({
  state,
  known,
}: StepContext): { strategy: string; market: string; position: Decimal }[] {
  return Object.entries(state.strategies).flatMap(([strategy, { holdings }]) => {
    const aliases = known.get(strategy)?.strategy.markets
    return Object.entries(holdings).map(([alias, { position }]) => ({
      strategy,
      market: aliases?.[alias]?.symbol ?? alias,
      position: new Decimal(position),
    }))
  })
}

/** A person who closes his own part, or adds to ours, leaves our whole position at the venue. */
function lackIn(market: string, amount: Decimal, { there, ours }: Compared): [string, Lack][] {
  const side = amount.lt(0) ? ('long' as const) : ('short' as const)
  if (there[side].gte(ours[side])) return []
  const numbers = `${there[side].toFixed()} ${side} in ${market}, and the fills of the bot give ${ours[side].toFixed()}`
  return [[market, { side, why: `the venue holds ${numbers}` }]]
}

/** An exit would sell more than the venue holds and so open the other side: a person has to check. */
function miss(context: StepContext, market: string, lack: Lack): void {
  const { state } = context
  const closing = lack.side === 'long' ? 'sell' : 'buy'
  const mayHaveClosed = [...openOrdersOf(state).values()].some(
    (order) =>
      order.market === market &&
      order.side === closing &&
      (order.status === 'sending' || order.status === 'doubtful'),
  )
  if (mayHaveClosed) return
  const isNews = state.drift.lacking[market]?.side !== lack.side
  state.drift.lacking[market] = lack
  if (!isNews) return
  const concerned = holdingsOf(context).filter(
    (each) => each.market === market && isOfSide(each.position, lack),
  )
  for (const { strategy } of concerned) {
    const reason =
      `${lack.why}: others closed the missing part, and exits close no more than the venue holds ` +
      'until the positions agree again'
    haltStrategy(context, strategy, { cause: 'drift', reason })
  }
}

function isOfSide(position: Decimal, { side }: Lack): boolean {
  return side === 'long' ? position.gt(0) : position.lt(0)
}

/** Why exits of this ladder would close more than the venue holds; undefined if they would not. */
export function lackOf({ drift }: State, market: string, held: Held | undefined): string | undefined {
  const lack = drift.lacking[market]
  return lack && held && isOfSide(new Decimal(held.position), lack) ? lack.why : undefined
}

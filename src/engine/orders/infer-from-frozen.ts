import { Decimal } from '#src/core/money/decimal.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Evidence } from '#src/engine/events.ts'
import { frozenCombinations, type OrderHolder } from './frozen-combinations.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import type { Order, State } from '#src/engine/state/state.ts'

type Verdict = 'placed' | 'absent' | { why: string }
type Known = ReadonlyMap<string, Compiled>

/**
 * Compares orders with unknown outcome with what the venue holds back, currency by currency. This works only where that amount is
 * a sum over orders: each of them opens a position, the leverage is known, and no request was in flight during the reading.
 * Orders of others on the account would add to it, so none may have been seen.
 */
export function inferFromFrozen(
  state: State,
  known: Known,
  { freeze, fencedAt }: Evidence,
  doubtful: readonly Order[],
): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>()
  const { leverage, markets } = state.venue
  const currencies = new Set(doubtful.map(({ market }) => markets[market]?.money ?? ''))
  for (const currency of currencies) {
    const isOfIt = ({ market }: Order) => (markets[market]?.money ?? '') === currency
    const asked = doubtful.filter(isOfIt)
    const others = Object.values(state.orders).filter((order) => isOfIt(order) && !asked.includes(order))
    const obstacle =
      freeze === null
        ? 'the lookups did not agree or were not answered'
        : obstacleTo(state, known, fencedAt, asked, others)
    if (obstacle !== null || leverage === null) {
      const why =
        obstacle ?? 'the venue file does not declare (leverage) that the balance shows frozen amounts'
      for (const { id } of asked) verdicts.set(id, { why })
      continue
    }
    const resting = others.filter(({ status }) => status === 'resting')
    const alive = [...asked, ...resting]
    const found = frozenCombinations({
      freeze: freeze?.[currency] ?? '0',
      leverage,
      markets: new Set(alive.map(({ market }) => market)).size,
      isOneQueue: new Set(alive.map(({ market, side }) => `${market} ${side}`)).size === 1,
      resting: resting.map((order) => holderOf(state, order)),
      doubtful: asked.map((order) => holderOf(state, order)),
    })
    for (const { id } of asked)
      verdicts.set(id, 'why' in found ? found : found.placed.has(id) ? 'placed' : 'absent')
  }
  return verdicts
}

function obstacleTo(
  state: State,
  known: Known,
  fencedAt: number,
  asked: readonly Order[],
  others: readonly Order[],
): string | null {
  if (state.drift.foreign) return 'other programs trade on this account and freeze balance as well'
  for (const { id, status, sentAt, endedAt } of others) {
    if (status === 'doubtful') return `the outcome of ${id} is unknown, too, and was not looked up`
    if (status === 'sending' || sentAt >= fencedAt) return `${id} was sent meanwhile`
    if (endedAt !== null && endedAt >= fencedAt) return `${id} ended meanwhile`
  }
  const alive = [...asked, ...others.filter(({ status }) => status === 'resting')]
  const closing = alive.find((order) => mayClose(state, known, order))
  return closing ? `${closing.id} may close a position, and its frozen amount is unknown` : null
}

/** Whether a strategy holds a position that this order would reduce, in one-way mode or in hedge mode. */
function mayClose(state: State, known: Known, { market, side }: Order): boolean {
  const sign = side === 'buy' ? -1 : 1
  return Object.entries(state.strategies).some(([name, { holdings }]) => {
    const aliases = known.get(name)?.strategy.markets
    return Object.entries(holdings).some(
      ([alias, { position }]) =>
        (aliases?.[alias]?.symbol ?? alias) === market && new Decimal(position).times(sign).gt(0),
    )
  })
}

function holderOf({ venue }: State, order: Order): OrderHolder {
  const { id, price, market } = order
  return { id, price, left: leftOf(order).toFixed(), amountDigits: venue.markets[market]?.amountDigits ?? 0 }
}

import type { State } from '#src/engine/state/state.ts'
import type { World } from '#src/exchange/world-file.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import {
  cashOf,
  collateral,
  decimalText as text,
  endedOrders,
  KnownOrders,
  openOrders,
  positions,
  quanta,
  type RawRead,
} from './oracle-ledger.ts'

/** The price of a position has eight decimals. */
const roundingMost = 10n ** 14n

/** Differences between the bot and the exchange; empty after convergence. */
export function disagreements(read: RawRead, state: State, markets: readonly string[]): string[] {
  const found: string[] = []
  const open = openOrders(read)
  const resting = namedBy(open)
  const ended = namedBy(endedOrders(read, markets))
  for (const order of Object.values(state.orders)) {
    const { id, status, filled } = order
    const there = resting(order)
    if (status === 'resting' && there === undefined) found.push(`${id} is open for the bot alone`)
    if (status !== 'resting' && status !== 'ended') found.push(`${id} is ${status}`)
    if (status === 'resting' && there !== undefined && there.filled !== quanta(filled))
      found.push(`${id} has filled ${text(there.filled)}, for the bot ${filled}`)
    const last = status === 'ended' ? (ended(order)?.filled ?? 0n) : undefined
    if (last !== undefined && last !== quanta(filled))
      found.push(`${id} ended with ${text(last)}, for the bot with ${filled}`)
  }
  const known = new KnownOrders(state)
  for (const { id, venueId } of open)
    if (!known.mayBe(id, venueId).some(({ status }) => status === 'resting'))
      found.push(`${id} is open at the exchange alone`)
  return [...found, ...moneyDifferences(read, state, markets)]
}

/** The row of an order of the bot: by the id of the exchange, and where the bot does not know it, by the client order id. */
function namedBy<Row extends { id: string; venueId: string }>(
  rows: readonly Row[],
): (order: State['orders'][string]) => Row | undefined {
  const byVenueId = new Map(rows.map((row) => [row.venueId, row]))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ({ id, venueId }) => byVenueId.get(venueId ?? '') ?? (venueId ? undefined : byId.get(id))
}

function moneyDifferences(read: RawRead, state: State, markets: readonly string[]): string[] {
  const found: string[] = []
  const holdings = Object.values(state.strategies).flatMap((each) => Object.values(each.holdings))
  const sum = (of: (holding: (typeof holdings)[number]) => bigint) =>
    holdings.reduce((total, each) => total + of(each), 0n)
  const held = positions(read).reduce((total, { amount }) => total + amount, 0n)
  const position = sum((holding) => quanta(holding.position))
  if (position !== held) found.push(`the bot holds ${text(position)}, and the exchange ${text(held)}`)
  const theirs = cashOf(read, markets)
  const fees = sum((holding) => quanta(holding.fees))
  if (fees !== theirs.fees)
    found.push(`the bot has paid fees of ${text(fees)}, and ${text(theirs.fees)} there`)
  const cash = sum(({ realized, cost, fees: paid }) => quanta(realized) - quanta(cost) - quanta(paid))
  if (cash !== theirs.cash)
    found.push(`the money of the bot is ${text(cash)}, and ${text(theirs.cash)} there`)
  return found
}

/**
 * Open orders, and positions that an order could close: what is left of each ladder must be below the minimum of its market.
 */
export function leftOpen(read: RawRead, world: World, { read: { strategy } }: StrategyFile): string[] {
  const found = openOrders(read).map(
    ({ id }) => `${id} is open although the operator has closed all positions`,
  )
  for (const { market, amount, cost } of positions(read)) {
    const rules = world.markets[market]
    if (rules === undefined) throw new RangeError(`there is no market ${market}`)
    const ladders = BigInt(
      Object.values(strategy.ladder).filter((each) => strategy.markets[each.market]?.symbol === market)
        .length,
    )
    // The price has moved since the position was opened, but not by a fifth.
    const isSmall =
      size(amount) < ladders * rules.minAmount || size(cost) * 5n < ladders * rules.minTotal * 6n
    if (!isSmall)
      found.push(`${text(amount)} of ${market} is held although the operator has closed all positions`)
  }
  return found
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** What is missing of the money before plus the result of all fills, or too much; undefined if the balance is right. */
export function lostMoney(read: RawRead, markets: readonly string[], before: bigint): string | undefined {
  const held = positions(read)
  const { cash } = cashOf(read, markets)
  const due = before + cash + held.reduce((total, { cost }) => total + cost, 0n)
  const lost = due - collateral(read)
  return size(lost) > roundingMost ? `${text(lost)} of the money of the account is nowhere` : undefined
}

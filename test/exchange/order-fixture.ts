import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { ExchangeAccount, ExchangeState } from '#src/exchange/state.ts'
import type { OrderFacts } from '#src/exchange/trading/orders/order-history.ts'
import type { TestExchange } from './exchange-fixture.ts'

type Flags = { postOnly?: boolean; ioc?: boolean; rpi?: boolean; client_order_id?: string; market?: string }

/** `buy 2 at 100` with optional flags, as one order of a bulk. */
export function order(side: 'buy' | 'sell', amount: string, price: string, flags: Flags = {}) {
  return { market: 'SOL_PERP', side, amount, price, ...flags }
}

/** Places one order and returns its result, or the wrong fields. */
export function place(venue: TestExchange, account: string, one: ReturnType<typeof order>) {
  const [element] = venue.ask(contract.collateralBulk, account, { orders: [one] })
  if (element?.result) return element.result
  return { refused: Object.keys(element?.error?.errors ?? {}) }
}

/** The rows of an account's resting orders, oldest first. */
export function restingRows({ orders }: ExchangeState, { oldest }: ExchangeAccount): number[] {
  const rows: number[] = []
  for (let row = oldest; row !== 0; row = orders.newer[row] ?? 0) rows.push(row)
  return rows
}

export function freezeOf(venue: TestExchange, account: string): string | undefined {
  return venue.ask(contract.tradingBalance, account, { ticker: 'USDT' })['USDT']?.freeze
}

/** Finished orders of the market of these tests, newest first. */
export function historyOf(venue: TestExchange, account: string) {
  return venue.ask(contract.orderHistory, account, { market: 'SOL_PERP' })['SOL_PERP'] ?? []
}

/** A copy of the facts of an order: those of a row change with the row. */
export function copyOfFacts(facts: OrderFacts): Record<string, unknown> {
  const { prototype } = facts.constructor
  const names = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(
    ([, property]) => 'get' in property,
  )
  return Object.fromEntries(names.map(([name]) => [name, Reflect.get(facts, name)]))
}

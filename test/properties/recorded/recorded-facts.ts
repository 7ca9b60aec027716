import type { Exchange } from '#src/exchange/exchange.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import { matchable } from '#src/exchange/trading/book/book.ts'
import { copyOfFacts } from '#test/exchange/order-fixture.ts'
import { factsAt } from '#src/exchange/trading/orders/order-history.ts'
import { canonical } from '#test/exchange/state-text.ts'

/**
 * Everything that accounts and the public can see of an exchange with recorded markets. Excluded are rows of tables and
 * the update ids of books: they depend on when the crowd's quotes were placed, which is when a request arrived.
 */
export function factsTextOf(exchange: Exchange): string {
  const { state, venue } = exchange
  for (const market of venue.trading.markets) venue.publicTradesOf(market)
  return canonical({ ...state, ...Object(placeless(state)) })
}

function placeless(state: ExchangeState): Record<string, unknown> {
  const { orders, accounts, markets, flow } = state
  const resting = (row: number) => {
    const { at, endedAt, ...facts } = copyOfFacts(factsAt(orders, row))
    const account = orders.account[row] ?? 0
    return [facts, account, orders.ahead[row], ...(account <= accounts.size ? [at, endedAt] : [])]
  }
  return {
    orders: markets.map(({ book }) => [
      Array.from(matchable(book, orders, false, 0), resting),
      Array.from(matchable(book, orders, true, 0), resting),
    ]),
    markets: markets.map(({ last, mark, fundings }) => [last, mark, fundings]),
    accounts: Array.from(accounts.values(), (account) => {
      const { oldest, newest, ...facts } = account
      const own: number[] = []
      for (let row = oldest; row !== 0; row = orders.newer[row] ?? 0) own.push(orders.id[row] ?? 0)
      return [facts, own, newest === 0]
    }),
    houses: state.houses.map(({ collateral }) => collateral),
    flow: flow?.recorded?.stands.map(({ market, next, taped, rose }) => [market, next, taped, rose]),
  }
}

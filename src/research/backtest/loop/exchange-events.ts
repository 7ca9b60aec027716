import type { SeenOrder } from '#src/engine/events.ts'
import { readOrderId } from '#src/engine/orders/order-ids.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import type { Atoms } from '#src/core/money/atoms.ts'
import { account } from '#src/research/backtest/world.ts'

type Listener = NonNullable<Exchange['venue']['trading']['listener']>
export type AccountDeal = Parameters<Listener['deal']>[1]
/** The rung of an order. */
export type DealPlace = { strategy: string; ladder: string; level: string }

/** What happens to the account. */
type Watcher = {
  order?: (row: number, what: Parameters<Listener['order']>[2]) => void
  deal?: (deal: AccountDeal, place: DealPlace | undefined) => void
  funding?: (amount: Atoms) => void
}

/** Reports every trade of the account. It has no place if it is of the venue itself, which liquidates a position. */
export function watchDeals(exchange: Exchange, onDeal: NonNullable<Watcher['deal']>): void {
  watch(exchange, { deal: onDeal })
}

/** Reports funding that the account has received; negative if it has paid. */
export function watchFunding(exchange: Exchange, onPaid: (amount: Atoms) => void): void {
  watch(exchange, { funding: onPaid })
}

/** Reports each event that changes balances of the account. Besides these, prices change the equity of open positions. */
export function watchBalances(exchange: Exchange, onChange: () => void): void {
  watch(exchange, { order: onChange, deal: onChange, funding: onChange })
}

/** Reports the progress of an order of the account, whenever it changes. */
export function watchOrders(exchange: Exchange, onSeen: (seen: SeenOrder) => void): void {
  const { trading, state } = exchange.venue
  watch(exchange, {
    order(row, what) {
      if (what === 'rests') return
      const { orders } = state
      const market = trading.markets[orders.market[row] ?? 0]
      if (!market) return
      const [lots, left, quanta] = [orders.lots[row] ?? 0, orders.left[row] ?? 0, orders.quanta[row] ?? 0]
      onSeen({
        id: orders.clientId[row] ?? '',
        venueId: String(orders.id[row]),
        filled: market.amountText(lots - left),
        money: market.moneyText(quanta),
        fee: market.feeText({ quanta, taken: orders.taken[row] ?? 0, tier: orders.tier[row] ?? 0 }),
        ended: what === 'ended',
      })
    },
  })
}

const watchers = new WeakMap<Exchange, Watcher[]>()

/** Most events are of the crowd, so that one check for all watchers leaves them out. */
function watch(exchange: Exchange, watcher: Watcher): void {
  const known = watchers.get(exchange)
  if (known) {
    known.push(watcher)
    return
  }
  const all = [watcher]
  watchers.set(exchange, all)
  const { trading } = exchange.venue
  const before = trading.listener
  trading.listener = {
    trade: (market, trade) => before?.trade(market, trade),
    order(trader, row, what) {
      before?.order(trader, row, what)
      if (isOurs(trader)) for (const each of all) each.order?.(row, what)
    },
    deal(trader, deal) {
      before?.deal(trader, deal)
      if (!isOurs(trader)) return
      const place = placeOf(deal)
      for (const each of all) each.deal?.(deal, place)
    },
    funding(trader, payment) {
      before?.funding?.(trader, payment)
      if (isOurs(trader)) for (const each of all) each.funding?.(payment.amount)
    },
  }
}

function isOurs({ name, house }: Parameters<Listener['deal']>[0]): boolean {
  return !house && name === account.name
}

function placeOf({ clientId }: AccountDeal): DealPlace | undefined {
  const parts = readOrderId(clientId)
  return parts && { strategy: parts.strategy, ladder: parts.ladder, level: parts.label }
}

import type { SeenOrder } from '#src/engine/events.ts'
import { readOrderId } from '#src/engine/orders/order-ids.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import type { Atoms } from '#src/core/money/atoms.ts'
import { account } from '#src/research/backtest/world.ts'

type Tell = NonNullable<Exchange['venue']['trading']['listener']>
export type AccountDeal = Parameters<Tell['deal']>[1]

/** The order's strategy, ladder and level; undefined for an order of the venue itself, which liquidates a position. */
export function placeOf({
  clientId,
}: AccountDeal): { strategy: string; ladder: string; level: string } | undefined {
  const parts = readOrderId(clientId)
  return parts && { strategy: parts.strategy, ladder: parts.ladder, level: parts.label }
}

/** Reports every trade of the account, in addition to other listeners. */
export function watchDeals(exchange: Exchange, onDeal: (deal: AccountDeal) => void): void {
  hang(exchange, { deal: (trader, deal) => isOurs(trader) && onDeal(deal) })
}

/** Reports funding that the account has received; negative if it has paid. */
export function watchFunding(exchange: Exchange, onPaid: (amount: Atoms) => void): void {
  hang(exchange, { funding: (trader, { amount }) => isOurs(trader) && onPaid(amount) })
}

/** Reports each event that changes balances of the account. Besides these, prices change the equity of open positions. */
export function watchBalances(exchange: Exchange, onChange: () => void): void {
  const tell = (trader: Parameters<Tell['deal']>[0]) => {
    if (isOurs(trader)) onChange()
  }
  hang(exchange, { order: tell, deal: tell, funding: tell })
}

/** Reports the progress of an order of the account, whenever it changes. */
export function watchOrders(exchange: Exchange, onSeen: (seen: SeenOrder) => void): void {
  const { trading, state } = exchange.venue
  hang(exchange, {
    order(trader, row, what) {
      if (what === 'rests' || !isOurs(trader)) return
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

function isOurs({ name, house }: Parameters<Tell['deal']>[0]): boolean {
  return !house && name === account.name
}

function hang({ venue: { trading } }: Exchange, more: Partial<Tell>): void {
  const before = trading.listener
  trading.listener = {
    trade: (...about) => before?.trade(...about),
    order(...about) {
      before?.order(...about)
      more.order?.(...about)
    },
    deal(...about) {
      before?.deal(...about)
      more.deal?.(...about)
    },
    funding(...about) {
      before?.funding?.(...about)
      more.funding?.(...about)
    },
  }
}

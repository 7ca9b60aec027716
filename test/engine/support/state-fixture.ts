import { newOrder } from '#src/engine/orders/new-order.ts'
import { beginState } from '#src/engine/state/initial-state.ts'
import type { Order, State } from '#src/engine/state/state.ts'

/** An engine that knows these orders and nothing else. */
export function stateWith(...orders: Order[]): State {
  const perp = { money: 'USDT', priceDigits: 1, amountDigits: 3, minAmount: '0.001', minTotal: '5' }
  const fees = { maxTotal: '10000000', makerFee: '0.0001', takerFee: '0.00035' }
  return {
    ...beginState(),
    venue: {
      capabilities: ['bulk', 'history', 'balance'],
      batchMax: 20,
      clientIds: 'unproven',
      speed: 1,
      leverage: 1,
      markets: { BTC_PERP: { ...perp, ...fees } },
    },
    orders: Object.fromEntries(orders.map((order) => [order.id, order])),
  }
}

/** Sent a moment ago, and not answered yet. */
export function orderOf(id: string, about: Partial<Order> = {}): Order {
  const [strategy = '', ladder = '', level = '', generation = ''] = id.split('.')
  const place = { id, strategy, ladder, level, generation: Number(generation) }
  const price = {
    market: 'BTC_PERP',
    side: 'buy',
    positionSide: 'LONG',
    price: '50000',
    amount: '0.01',
  } as const
  const terms = { role: 'entry', postOnly: false, ioc: false, rpi: false } as const
  return { ...newOrder({ ...place, ...price, ...terms }, { at: 0 }), ...about }
}

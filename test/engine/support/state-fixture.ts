import { stateForm } from '#src/engine/state/initial-state.ts'
import type { Order, State } from '#src/engine/state/state.ts'

/** An engine that knows these orders and nothing else. */
export function stateWith(...orders: Order[]): State {
  const perp = { money: 'USDT', priceDigits: 1, amountDigits: 3, minAmount: '0.001', minTotal: '5' }
  const fees = { maxTotal: '10000000', makerFee: '0.0001', takerFee: '0.00035' }
  return {
    form: stateForm,
    at: 0,
    venue: {
      capabilities: ['bulk', 'history', 'balance'],
      batchMax: 20,
      clientIds: 'unproven',
      speed: 1,
      leverage: 1,
      markets: { BTC_PERP: { ...perp, ...fees } },
    },
    quotes: {},
    account: null,
    strategies: {},
    orders: Object.fromEntries(orders.map((order) => [order.id, order])),
    chunks: {},
    nextChunk: 1,
    looking: null,
    drift: { foreign: false, base: null, suspect: null, lacking: {} },
    stopped: null,
    ending: false,
    running: [],
    prunedAt: 0,
  }
}

/** Sent a moment ago, and not answered yet. */
export function orderOf(id: string, about: Partial<Order> = {}): Order {
  const [strategy = '', ladder = '', level = '', generation = ''] = id.split('.')
  return {
    id,
    strategy,
    ladder,
    level,
    generation: Number(generation),
    role: 'entry',
    market: 'BTC_PERP',
    side: 'buy',
    positionSide: 'LONG',
    price: '50000',
    amount: '0.01',
    postOnly: false,
    ioc: false,
    rpi: false,
    status: 'sending',
    withdrawing: false,
    withdrawAfter: 0,
    refusals: 0,
    venueId: null,
    filled: '0',
    money: '0',
    fee: '0',
    armed: '0',
    sentAt: 0,
    endedAt: null,
    why: null,
    doubtfulSince: null,
    looks: 0,
    attempts: 1,
    ...about,
  }
}

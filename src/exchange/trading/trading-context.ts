import type { OrderBook } from '#src/exchange/trading/book/book.ts'
import type { Deal } from '#src/exchange/trading/orders/order-history.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { FundingPayment } from '#src/exchange/trading/positions/position-events.ts'
import type { Trigger } from './records.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Trade } from '#src/exchange/trades/public-trades.ts'
import type { Trader } from './trader.ts'
import type { World } from '#src/exchange/world-file.ts'

/** What trading stands on: the state, and what follows from the world alone. */
export type Trading = {
  state: ExchangeState
  switches: World['switches']
  markets: readonly Market[]
  accounts: readonly Trader[]
  /** Told of what happens, as it happens: streams listen here. */
  tell?: Tell
  /** Somebody is about to take without having asked: who quotes by the last price does so now. */
  quote?(now: number): void
}

type Tell = {
  trade(
    market: Market,
    trade: { id: number; maker: number; taker: number; lots: number; ticks: number; at: number },
  ): void
  /** A point of a recorded market. */
  passed?(market: Market, trade: Trade): void
  order(account: Trader, row: number, what: 'rests' | 'changed' | 'ended'): void
  /** An order that waits for a price; as soon as it comes or is called off, it is told of like any other. */
  waits?(account: Trader, trigger: Trigger): void
  deal(account: Trader, deal: Deal): void
  funding?(account: Trader, payment: FundingPayment): void
}

export function bookOf({ state }: Trading, market: Market): OrderBook {
  const found = state.markets[market.number]
  if (found === undefined) throw new RangeError(`${market.name} is no market of this state`)
  return found.book
}

export function ownerOf({ state, accounts }: Trading, row: number): Trader {
  const account = accounts[(state.orders.account[row] ?? 0) - 1]
  if (account === undefined) throw new RangeError(`nobody owns order ${state.orders.id[row]}`)
  return account
}

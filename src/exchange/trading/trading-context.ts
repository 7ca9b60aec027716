import type { OrderBook } from '#src/exchange/trading/book/book.ts'
import type { Deal } from '#src/exchange/trading/orders/order-history.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { FundingPayment } from '#src/exchange/trading/positions/position-events.ts'
import type { Trigger } from './records.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Trade } from '#src/exchange/trades/public-trades.ts'
import type { Trader } from './trader.ts'
import type { World } from '#src/exchange/world-file.ts'

/** The context of trading: the state, and what follows from the world file alone. */
export type Trading = {
  state: ExchangeState
  switches: World['switches']
  /** Whether no account loses more than it has: ADR 0031. Else the insurance pays without a limit. */
  deleverages: boolean
  /** Whether the volume of accounts is counted. */
  hasFeeTiers: boolean
  markets: readonly Market[]
  accounts: readonly Trader[]
  /** The listener of the streams: called for each event when it happens. */
  listener?: TradingListener
  /**
   * Called before the exchange itself sends a taker order: traders that quote around the last price update their
   * quotes.
   */
  quote?(now: number): void
}

type TradingListener = {
  trade(
    market: Market,
    trade: { id: number; maker: number; taker: number; lots: number; ticks: number; at: number },
  ): void
  /** A point of a recorded market. */
  passed?(market: Market, trade: Trade): void
  order(account: Trader, row: number, what: 'rests' | 'changed' | 'ended'): void
  /** A waiting order, new or with another amount; its activation or cancellation is reported like that of any order. */
  waits?(account: Trader, trigger: Trigger, what: 'rests' | 'changed'): void
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
  if (account === undefined) throw new RangeError(`no account owns order ${state.orders.id[row]}`)
  return account
}

/** The market of an order. */
export function marketOf({ state, markets }: Trading, row: number): Market {
  const market = markets[state.orders.market[row] ?? 0]
  if (market === undefined) throw new RangeError(`order ${state.orders.id[row]} is in no market`)
  return market
}

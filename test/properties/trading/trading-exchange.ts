import { Exchange } from '#src/exchange/exchange.ts'
import { freeBalance } from '#src/exchange/ledger/free-balance.ts'
import { move } from '#src/exchange/ledger/ledger.ts'
import { beginState, openHouse, type ExchangeState } from '#src/exchange/state.ts'
import { modify } from '#src/exchange/trading/orders/modify-order.ts'
import type { NewOrder } from '#src/exchange/trading/orders/order-draft.ts'
import { bucketOf, exposureOf } from '#src/exchange/trading/positions/exposure.ts'
import { settleFunding } from '#src/exchange/trading/positions/funding.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import {
  flag,
  has,
  positionSides,
  selfTrades,
  statusOf,
  restingRows,
} from '#src/exchange/trading/book/order-columns.ts'
import { place, takerBand } from '#src/exchange/trading/orders/order-matching.ts'
import { marketOrderReach } from '#src/exchange/trading/orders/market-order-size.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import { cancelWaiting, cancelResting } from '#src/exchange/trading/orders/resting-orders.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { addTrigger } from '#src/exchange/trading/orders/order-intake.ts'
import type { World } from '#src/exchange/world-file.ts'
import { beginsAt } from '#test/exchange/exchange-fixture.ts'
import {
  maker,
  tradingWorlds,
  type TradingCommand,
  type OrderShape,
  type When,
  type TradingWorldName,
} from './trading-commands.ts'

/** Calls the exchange's own functions like the handlers do: each command is followed by its consequences. */
export class TradingExchange {
  readonly state: ExchangeState
  readonly trading
  #now: number
  /** Number of drawn client ids. */
  #named = 0

  readonly #world: TradingWorldName

  constructor(name: TradingWorldName, begin?: ExchangeState) {
    const world = tradingWorlds[name]
    this.#world = name
    this.state = begin ?? beginTrading(world)
    this.trading = new Exchange({ world, seed: 'a seed', begin: this.state }).venue.trading
    this.#now = this.state.at
  }

  /** Another exchange that continues from a copy of the state. */
  again(state: ExchangeState): TradingExchange {
    const copy = new TradingExchange(this.#world, state)
    copy.#named = this.#named
    return copy
  }

  /** The answer, in a comparable form. */
  do(command: TradingCommand): string {
    const answer = this.#do(command)
    react(this.trading, this.#now)
    this.#now += 1000
    this.state.at = this.#now
    return answer
  }

  #do(command: TradingCommand): string {
    const { trading, state } = this
    switch (command.kind) {
      case 'order': {
        const { by, shape } = command
        return this.#tell(this.#place(this.#traderOf(by), shape))
      }
      case 'cancel': {
        const row = this.#restingRow(command.by, command.which)
        if (row === undefined) return 'nothing'
        cancelResting(trading, row, 'CANCELED', this.#now)
        return 'canceled'
      }
      case 'modify': {
        const row = this.#restingRow(command.by, command.which)
        if (row === undefined) return 'nothing'
        const { ticks, lots } = command
        return this.#tell(modify(trading, row, { ticks, lots }, this.#now))
      }
      case 'wait':
        return String(this.#wait(this.#traderOf(command.by), command.shape, command.when, 0))
      case 'pair': {
        const trader = this.#traderOf(command.by)
        const row = this.#place(trader, command.shape, flag.linked)
        const reported = this.#tell(row)
        if (typeof row === 'string' || statusOf(state.orders, row) !== 'OPEN') return reported
        return `${reported} ${this.#wait(trader, command.beside, command.when, state.orders.id[row] ?? 0)}`
      }
      case 'call off': {
        const trigger = state.triggers[command.which]
        if (trigger) cancelWaiting(trading, trigger, this.#now)
        return trigger ? 'called off' : 'nothing'
      }
      case 'mark': {
        const standing = state.markets[this.#marketNamed(command.market).number]
        if (standing) standing.mark = command.ticks
        state.stirred = true
        return 'moved'
      }
      case 'fund':
        settleFunding(trading, state.fundingAt)
        return 'settled'
      case 'leverage': {
        const trader = this.#traderOf(command.by)
        if (trader.house) return 'nothing'
        trader.collateral.leverage = command.leverage
        state.stirred = true
        return 'changed'
      }
      case 'hedge': {
        const trader = this.#traderOf(command.by)
        if (trader.house || !this.#isFlat(trader)) return 'not flat'
        trader.collateral.hedged = !trader.collateral.hedged
        return 'changed'
      }
      case 'pay in':
      case 'take out':
        return this.#transfer(command)
    }
  }

  #transfer({ kind, by, money, amount }: Extract<TradingCommand, { kind: 'pay in' | 'take out' }>): string {
    const account = this.state.accounts.get(by)
    if (account === undefined) return 'nothing'
    const { collateral } = account.wallets
    if (kind === 'pay in') move(this.state.ledger, 'outside', collateral, money, amount)
    else {
      const free = freeBalance(this.trading, account, 'collateral', money)
      if (amount !== undefined && amount > free) return 'too much'
      move(this.state.ledger, collateral, 'outside', money, amount ?? free)
    }
    return 'moved'
  }

  #place(trader: Trader, shape: OrderShape, more = 0): number | string {
    const market = this.#marketNamed(shape.market)
    const draft = this.#draft(trader, shape, more)
    return place(
      this.trading,
      market,
      trader,
      { ...draft, ticks: this.#limit(market, trader, draft) },
      this.#now,
    )
  }

  /** For a market order the end of the band; for a spot buy no farther than necessary. */
  #limit(market: Market, trader: Trader, { flags, sells, lots, ticks, selfTrade }: NewOrder): number {
    if ((flags & flag.market) === 0) return ticks
    const band = takerBand(this.trading, market, sells)
    if (sells || (flags & flag.spot) === 0) return band
    return marketOrderReach(this.trading, market, trader, { selfTrade, lots }, band).ticks
  }

  #wait(trader: Trader, shape: OrderShape, { activation, rises }: When, other: number): number {
    const waits = { draft: this.#draft(trader, shape, 0), activation, rises, other }
    return addTrigger(this.trading, this.#marketNamed(shape.market), trader, waits, this.#now).id
  }

  #draft(trader: Trader, shape: OrderShape, more: number): NewOrder {
    const { flags, named, position, selfTrade, sells, closes, ticks, lots } = shape
    this.#named += 1
    const positionSide = positionSides.indexOf(position)
    const standing = exposureOf(trader, this.#marketNamed(shape.market), bucketOf(trader, positionSide)).lots
    return {
      clientId: named ? `c.${this.#named}` : '',
      sells: closes && standing !== 0 ? standing > 0 : sells,
      positionSide,
      selfTrade: selfTrades.indexOf(selfTrade),
      ticks,
      lots,
      flags: flags.reduce((all, name) => all | flag[name], more),
    }
  }

  #tell(row: number | string): string {
    if (typeof row === 'string') return row
    const { id, lots, left } = this.state.orders
    return `${id[row]} ${statusOf(this.state.orders, row)} ${lots[row]} ${left[row]}`
  }

  #traderOf(name: string): Trader {
    const found = this.trading.accounts.find((trader) => trader.name === name)
    if (found === undefined) throw new RangeError(`nobody is called ${name}`)
    return found
  }

  #marketNamed(name: string): Market {
    const found = this.trading.markets.find((market) => market.name === name)
    if (found === undefined) throw new RangeError(`no market ${name}`)
    return found
  }

  #restingRow(by: string, which: number): number | undefined {
    return [...restingRows(this.state.orders, this.#traderOf(by))][which]
  }

  /** Neither positions nor orders that could open one. */
  #isFlat(trader: Trader): boolean {
    const { orders, triggers } = this.state
    const rows = [...restingRows(orders, trader)].filter((row) => !has(orders, row, flag.spot))
    return (
      trader.collateral.open.length === 0 &&
      rows.length === 0 &&
      triggers.every(({ account }) => account !== trader.number)
    )
  }
}

function beginTrading(world: World): ExchangeState {
  const state = beginState(world, 'a seed', beginsAt)
  openHouse(state, maker)
  const hedger = state.accounts.get('tom')
  if (hedger) hedger.collateral.hedged = true
  return state
}

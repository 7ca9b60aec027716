import { balanceOf, imbalances, move, type LedgerHolder } from '#src/exchange/ledger/ledger.ts'
import { modify } from '#src/exchange/trading/orders/modify-order.ts'
import type { NewOrder } from '#src/exchange/trading/orders/order-draft.ts'
import { factsAt, newestFirst } from '#src/exchange/trading/orders/order-history.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, positionSides, selfTrades, statusOf } from '#src/exchange/trading/book/order-columns.ts'
import { place, takerBand } from '#src/exchange/trading/orders/order-matching.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import { cancelResting } from '#src/exchange/trading/orders/resting-orders.ts'
import { marginInUse } from '#src/exchange/trading/positions/fill-settlement.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { addTrigger } from '#src/exchange/trading/orders/order-intake.ts'
import type { World } from '#src/exchange/world-file.ts'
import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import { openVenue, paperWorld } from '#test/exchange/exchange-fixture.ts'

/** Fixture: trading without requests, with three accounts; orders and results are sentences. */

type Flags = Partial<Record<'postOnly' | 'ioc' | 'rpi' | 'reduceOnly' | 'spot' | 'linked', boolean>>
type About = Flags & {
  market?: string
  side?: (typeof positionSides)[number]
  stp?: (typeof selfTrades)[number]
  clientId?: string
}
type Names = 'ann' | 'bob' | 'eve'
type Setting = {
  leverage?: Partial<Record<Names, number>>
  collateral?: Partial<Record<Names, string>>
  fees?: boolean
  clientIds?: World['switches']['clientIds']
  /** Who bears a loss beyond the money of an account: the insurance, unless requested. */
  shortfalls?: World['shortfalls']
  /** Of SOL_PERP. */
  brackets?: World['markets'][string]['brackets']
}

/** Without fees unless requested, so that a profit has the digits of its trade. */
function worldOf(setting: Setting): World {
  const {
    leverage = {},
    collateral = {},
    fees = false,
    clientIds = 'forever',
    shortfalls,
    brackets,
  } = setting
  const markets = Object.entries(paperWorld.markets).map(([name, rules]) => [
    name,
    {
      ...rules,
      ...(!fees && { makerFee: 0n, takerFee: 0n }),
      ...(name === 'SOL_PERP' && { brackets }),
    },
  ])
  const some = paperWorld.accounts['rival']
  if (some === undefined) throw new Error('the packaged world has an account to begin with')
  const accounts = (['ann', 'bob', 'eve'] as const).map((name) => [
    name,
    {
      ...some,
      keys: [],
      spot: { USDT: parseAtoms('1000'), SOL: parseAtoms('10') },
      collateral: { USDT: parseAtoms(collateral[name] ?? '1000') },
      leverage: leverage[name] ?? 1,
    },
  ])
  return {
    ...paperWorld,
    shortfalls,
    switches: { ...paperWorld.switches, clientIds },
    markets: Object.fromEntries(markets),
    accounts: Object.fromEntries(accounts),
  }
}

export function openTrading(setting: Setting = {}) {
  const { exchange } = openVenue({ world: worldOf(setting) })
  const { trading, markets } = exchange.venue
  const { state } = trading
  const { orders, ledger } = state
  let now = state.at

  function traderOf(name: string): Trader {
    const found = trading.accounts.find((trader) => trader.name === name)
    if (found === undefined) throw new Error(`nobody is called ${name}`)
    return found
  }

  function marketOf(name = 'SOL_PERP'): Market {
    const found = markets.get(name)
    if (found === undefined) throw new Error(`there is no market ${name}`)
    return found
  }

  /** `buy 2 at 100`, or `buy 2 at market`. */
  function draftOf(text: string, about: About): { market: Market; draft: NewOrder } {
    const market = marketOf(about.market)
    const [, side = '', amount = '', price = ''] = /^(buy|sell) (\S+) at (\S+)$/.exec(text) ?? []
    const sells = side === 'sell'
    let flags = price === 'market' ? flag.market : 0
    for (const name of ['postOnly', 'ioc', 'rpi', 'reduceOnly', 'spot', 'linked'] as const) {
      if (about[name] === true) flags |= flag[name]
    }
    const ticks = price === 'market' ? takerBand(trading, market, sells) : market.ticks(price)
    const draft = {
      clientId: about.clientId ?? '',
      sells,
      positionSide: positionSides.indexOf(about.side ?? 'BOTH'),
      selfTrade: selfTrades.indexOf(about.stp ?? 'no'),
      ticks: ticks ?? 0,
      lots: market.lots(amount) ?? 0,
      flags,
    }
    return { market, draft }
  }

  /** The result of the order, before prices that it moved have an effect. */
  function resultOf(placed: number | string) {
    now += 1000
    if (typeof placed === 'string') return { refused: placed }
    const market = trading.markets[orders.market[placed] ?? 0] ?? marketOf()
    const [lots = 0, left = 0] = [orders.lots[placed], orders.left[placed]]
    const reported = {
      id: orders.id[placed] ?? 0,
      status: statusOf(orders, placed),
      amount: market.amountText(lots),
      done: market.amountText(lots - left),
    }
    react(trading, now)
    return reported
  }

  function rowOf(id: number): number {
    const row = orders.id.indexOf(id)
    if (row === -1 || orders.level[row] === 0) throw new Error(`order ${id} does not rest`)
    return row
  }

  function sentence(market: number, sells: boolean, lots: number, ticks: number): string {
    const { amountText, priceText } = trading.markets[market] ?? marketOf()
    return `${sells ? 'sell' : 'buy'} ${amountText(lots)} at ${priceText(ticks)}`
  }

  return {
    trading,
    state,
    traderOf,
    marketOf,
    order(name: string, text: string, about: About = {}) {
      const { market, draft } = draftOf(text, about)
      return resultOf(place(trading, market, traderOf(name), draft, now))
    },
    modify(id: number, to: string) {
      const [, amount = '', price = ''] = /^(\S+) at (\S+)$/.exec(to) ?? []
      const market = trading.markets[orders.market[rowOf(id)] ?? 0] ?? marketOf()
      const change = { lots: market.lots(amount) ?? 0, ticks: market.ticks(price) ?? 0 }
      return resultOf(modify(trading, rowOf(id), change, now))
    },
    cancel(id: number): void {
      cancelResting(trading, rowOf(id), 'CANCELED', now)
    },
    /** The order activates when the last price rises or falls to this price. */
    wait(
      name: string,
      text: string,
      when: `${'rises' | 'falls'} to ${number}`,
      about: About & { other?: number } = {},
    ) {
      const { market, draft } = draftOf(text, about)
      const activation = market.ticks(when.slice('rises to '.length)) ?? 0
      const waits = { draft, activation, rises: when.startsWith('rises'), other: about.other ?? 0 }
      return addTrigger(trading, market, traderOf(name), waits, now)
    },
    /** Sets the mark price, like an external index. */
    mark(price: string, market?: string): void {
      const standing = state.markets[marketOf(market).number]
      const ticks = marketOf(market).ticks(price) ?? 0
      if (standing) Object.assign(standing, { mark: ticks, indexed: setting.shortfalls === 'deleverage' })
      state.stirred = true
      now += 1000
      react(trading, now)
    },
    react: () => react(trading, now),
    /** Money from outside. */
    give(holder: LedgerHolder, amount: string): void {
      move(ledger, 'outside', holder, 'USDT', parseAtoms(amount))
    },
    at: () => now,
    money: (holder: LedgerHolder, asset = 'USDT') => formatAtoms(balanceOf(ledger, holder, asset)),
    collateral: (name: string) => formatAtoms(balanceOf(ledger, `collateral/${name}`, 'USDT')),
    reserved: (name: string) => formatAtoms(marginInUse(trading, traderOf(name), 'USDT').reserved),
    /** Open positions: `2 for 200`; short positions are negative. */
    positions(name: string): string[] {
      return traderOf(name).collateral.open.map(({ market, lots, cost }) => {
        const amount = (trading.markets[market] ?? marketOf()).amountText(Math.abs(lots))
        return `${lots < 0 ? '-' : ''}${amount} for ${formatAtoms(cost)}`
      })
    },
    /** Resting orders, oldest first. */
    resting(name: string): string[] {
      const found: string[] = []
      for (let row = traderOf(name).oldest; row !== 0; row = orders.newer[row] ?? 0) {
        const [market = 0, left = 0, ticks = 0] = [orders.market[row], orders.left[row], orders.ticks[row]]
        found.push(sentence(market, orders.sells[row] === 1, left, ticks))
      }
      return found
    },
    /** Finished orders as placed, with their end, oldest first. */
    ended(name: string): string[] {
      const { finished } = traderOf(name)
      return [...newestFirst(finished)].toReversed().map((place) => {
        const { market, sells, lots, ticks, status } = factsAt(finished, place)
        return `${sentence(market, sells, lots, ticks)} ${status}`
      })
    },
    imbalances: () => [...imbalances(ledger)],
  }
}

import { add, atLeastZero, least } from '#test/properties/models/naive-arithmetic.ts'
import { bucketOf, freeOf, positionOf } from '#test/properties/models/naive-margin.ts'
import { callOff } from '#test/properties/models/naive-matching.ts'
import {
  beginAccount,
  beginVenue,
  rulesOf,
  type NaiveAccount,
  type NaiveOrder,
  type NaiveVenue,
  type Wish,
} from '#test/properties/models/naive-records.ts'
import {
  cancel,
  fund,
  limitNow,
  mark,
  modify,
  place,
  react,
  wait,
} from '#test/properties/models/naive-exchange.ts'
import {
  maker,
  people,
  tradingWorlds,
  type TradingCommand,
  type OrderShape,
  type When,
  type TradingWorldName,
} from './trading-commands.ts'

/** The naive model for the same commands. */
export class TradingModel {
  readonly venue: NaiveVenue
  #named = 0

  constructor(name: TradingWorldName) {
    const world = tradingWorlds[name]
    const accounts = people.map((name, index) => {
      const { leverage = 1, collateral = {}, spot = {} } = world.accounts[name] ?? {}
      const purses = { collateral: { ...collateral }, spot: { ...spot } }
      return beginAccount(name, index + 1, { leverage: BigInt(leverage), ...purses })
    })
    const insurer = beginAccount('insurance', people.length + 1, { house: true })
    const house = beginAccount(maker, people.length + 2, { house: true })
    for (const account of accounts) account.hedged = account.name === 'tom'
    const crossing = world.switches.postOnlyCross
    const idsLast = world.switches.clientIds === 'forever'
    this.venue = beginVenue(world.markets, [...accounts, insurer, house], insurer, { crossing, idsLast })
  }

  do(command: TradingCommand): string {
    const answer = this.#do(command)
    react(this.venue)
    return answer
  }

  #do(command: TradingCommand): string {
    const { venue } = this
    switch (command.kind) {
      case 'order':
        return this.#tell(this.#place(this.#accountOf(command.by), command.shape, false))
      case 'cancel': {
        const order = this.#resting(command.by)[command.which]
        if (order) cancel(venue, order)
        return order ? 'canceled' : 'nothing'
      }
      case 'modify': {
        const order = this.#resting(command.by)[command.which]
        if (order === undefined) return 'nothing'
        const change = {
          price: this.#price(order.market, command.ticks),
          amount: this.#amount(order.market, command.lots),
        }
        return this.#tell(modify(venue, order, change))
      }
      case 'wait':
        return String(this.#wait(this.#accountOf(command.by), command.shape, command.when, 0))
      case 'pair': {
        const account = this.#accountOf(command.by)
        const order = this.#place(account, command.shape, true)
        const reported = this.#tell(order)
        if (typeof order === 'string' || order.status !== 'OPEN') return reported
        return `${reported} ${this.#wait(account, command.beside, command.when, order.id)}`
      }
      case 'call off': {
        const waiting = venue.waiting[command.which]
        if (waiting) callOff(venue, waiting)
        return waiting ? 'called off' : 'nothing'
      }
      case 'mark':
        mark(venue, command.market, this.#price(command.market, command.ticks))
        return 'moved'
      case 'fund':
        fund(venue)
        return 'settled'
      case 'leverage': {
        const account = this.#accountOf(command.by)
        if (account.house) return 'nothing'
        account.leverage = BigInt(command.leverage)
        venue.moved = true
        return 'changed'
      }
      case 'hedge': {
        const account = this.#accountOf(command.by)
        if (account.house || !this.#isFlat(account)) return 'not flat'
        account.hedged = !account.hedged
        return 'changed'
      }
      case 'pay in':
      case 'take out':
        return this.#transfer(command)
    }
  }

  /** Free money can be transferred; unrealised profit cannot. */
  #transfer({ kind, by, money, amount }: Extract<TradingCommand, { kind: 'pay in' | 'take out' }>): string {
    const account = this.#accountOf(by)
    if (account.house) return 'nothing'
    if (kind === 'pay in') add(account.collateral, money, amount)
    else {
      const free = atLeastZero(freeOf(this.venue, account, money))
      const most = least(free, account.collateral[money] ?? 0n)
      if (amount !== undefined && amount > most) return 'too much'
      add(account.collateral, money, -(amount ?? most))
    }
    return 'moved'
  }

  #place(account: NaiveAccount, shape: OrderShape, linked: boolean): NaiveOrder | string {
    const wish = this.#wish(account, shape, linked)
    return place(this.venue, account, { ...wish, price: limitNow(this.venue, account, wish) })
  }

  #wait(account: NaiveAccount, shape: OrderShape, { activation, rises }: When, other: number): number {
    const when = { activation: this.#price(shape.market, activation), rises, other }
    return wait(this.venue, account, this.#wish(account, shape, false), when).id
  }

  #wish(account: NaiveAccount, shape: OrderShape, linked: boolean): Wish {
    const { market, sells, closes, ticks, lots, position, selfTrade, flags, named } = shape
    this.#named += 1
    const standing = positionOf(account, market, bucketOf(account, { position }))?.amount ?? 0n
    const side = (closes && standing !== 0n ? standing > 0n : sells) ? 'sell' : 'buy'
    return {
      market,
      side,
      amount: this.#amount(market, lots),
      price: this.#price(market, ticks),
      position,
      selfTrade,
      linked,
      clientId: named ? `c.${this.#named}` : '',
      postOnly: flags.includes('postOnly'),
      ioc: flags.includes('ioc'),
      rpi: flags.includes('rpi'),
      reduceOnly: flags.includes('reduceOnly'),
      spot: flags.includes('spot'),
      atMarket: flags.includes('market'),
    }
  }

  #price(market: string, ticks: number): bigint {
    return BigInt(ticks) * 10n ** BigInt(18 - rulesOf(this.venue, market).priceDigits)
  }

  #amount(market: string, lots: number): bigint {
    return BigInt(lots) * 10n ** BigInt(18 - rulesOf(this.venue, market).amountDigits)
  }

  #tell(order: NaiveOrder | string): string {
    if (typeof order === 'string') return order
    const lot = 10n ** BigInt(18 - rulesOf(this.venue, order.market).amountDigits)
    return `${order.id} ${order.status} ${order.amount / lot} ${order.left / lot}`
  }

  #accountOf(name: string): NaiveAccount {
    const found = this.venue.accounts.find((account) => account.name === name)
    if (found === undefined) throw new RangeError(`nobody is called ${name}`)
    return found
  }

  #resting(by: string): NaiveOrder[] {
    return this.venue.resting.filter(({ account }) => account.name === by)
  }

  #isFlat(account: NaiveAccount): boolean {
    const { resting, waiting } = this.venue
    const mine = [...resting.filter(({ spot }) => !spot), ...waiting].filter(
      (each) => each.account === account,
    )
    return account.positions.length === 0 && mine.length === 0
  }
}

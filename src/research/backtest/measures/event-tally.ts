import type { Step } from '#src/engine/step-context.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { formatAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { AccountDeal, DealPlace } from '#src/research/backtest/loop/exchange-events.ts'
import { ChartEvents } from './chart-events.ts'
import type { Holdings } from './measures.ts'
import type { BacktestFill, BacktestHeld, BacktestResult } from '#src/research/backtest/result/result.ts'
import { PairTally } from './pair-tally.ts'
import { RungResults } from './rung-results.ts'

/** A position and its cost, both with their sign; markets are numbered as at the venue. */
type Held = { strategy: string; market: number; amount: Atoms; cost: Atoms }

const entryDigits = 8

/** Counts the bot's orders and fills as they happen. */
export class EventTally {
  readonly fills: BacktestFill[] = []
  readonly rungs = new RungResults()
  readonly pairs: PairTally
  readonly happenings: ChartEvents
  readonly #rules = new Map<string, BacktestResult['rules'][number]>()
  /** By the reason without its numbers. */
  readonly #rejected = new Map<string, { reason: string; count: number }>()
  /** By strategy and market. */
  readonly #held = new Map<string, Held>()
  readonly #venue: Exchange['venue']
  orders = 0
  liquidations = 0
  fees: Atoms = 0n
  /** Money received less money paid. */
  funding: Atoms = 0n

  constructor(venue: Exchange['venue'], strategies: ReadonlyMap<string, Read>, state: () => State) {
    this.#venue = venue
    this.pairs = new PairTally(strategies, state)
    this.happenings = new ChartEvents(state)
    // A rule that never fires is listed, too.
    for (const [strategy, { strategy: file }] of strategies)
      for (const { id: rule } of file.rules)
        this.#rules.set(`${strategy} ${rule}`, { rule, strategy, fired: 0, first: null, last: null })
  }

  take(step: Step): void {
    const { commands, notes } = step
    this.happenings.take(step)
    for (const command of commands) {
      if (command.kind !== 'submit') continue
      this.orders += command.orders.length
      for (const order of command.orders) this.rungs.ordered(order)
    }
    for (const note of notes) {
      if (note.type === 'rule-fired') this.#fired(note.strategy, note.rule, note.at)
      if (note.type === 'order-refused' || note.type === 'order-would-take') this.#reject(note.message)
      if (note.type === 'order-not-sent') this.#reject(`not sent: ${note.reason}`)
    }
  }

  /** One trade of an order. */
  dealt(deal: AccountDeal, place: DealPlace | undefined): void {
    const market = this.#venue.trading.markets[deal.market]
    if (!market) return
    if (!place) {
      this.liquidations += 1
      return
    }
    const { strategy } = place
    const quanta = deal.lots * deal.ticks
    const traded = { quanta, taken: deal.taker ? quanta : 0, tier: deal.tier }
    const fee = market.fee(traded)
    const side: BacktestFill['side'] = deal.sells ? 'sell' : 'buy'
    const sign = deal.sells ? -1n : 1n
    const [amount, money] = [BigInt(deal.lots) * market.lotAtoms, market.money(quanta)]
    const profit = realise(this.#heldBy(strategy, deal.market), sign * amount, sign * money)
    this.fees += fee
    const fill = {
      at: deal.at,
      order: deal.clientId,
      ...place,
      market: market.name,
      side,
      price: market.priceText(deal.ticks),
      amount: market.amountText(deal.lots),
      fee: market.feeText(traded),
      maker: !deal.taker,
      profit: formatAtoms(profit),
    }
    this.fills.push(fill)
    this.rungs.filled(fill, { amount, money, profit, fee })
    this.pairs.filled(deal, fill, market.moneyText(quanta))
  }

  get rules(): BacktestResult['rules'] {
    return [...this.#rules.values()]
  }

  get rejected(): BacktestResult['rejected'] {
    return [...this.#rejected.values()]
  }

  #fired(strategy: string, rule: string, at: number): void {
    const known = this.#rules.get(`${strategy} ${rule}`)
    if (!known) return
    known.fired += 1
    known.first ??= at
    known.last = at
  }

  #reject(reason: string): void {
    const kind = reason.replaceAll(/\d+(?:\.\d+)?/g, '…')
    const known = this.#rejected.get(kind)
    if (!known) return void this.#rejected.set(kind, { reason, count: 1 })
    known.count += 1
    // A price that differs each time says nothing in a sum.
    if (known.reason !== reason) known.reason = kind
  }

  /** The venue has liquidated positions: all strategies together hold at most the position of the account. */
  writeOff({ longs, shorts }: Holdings): void {
    for (const [market, long] of longs.entries()) {
      const holders = [...this.#held.values()].filter((each) => each.market === market)
      let over = holders.reduce((sum, { amount }) => sum + amount, 0n) - (long - (shorts[market] ?? 0n))
      for (const held of holders) {
        if (over * held.amount <= 0n) continue
        const gone = size(over) < size(held.amount) ? over : held.amount
        this.pairs.dropped(held.strategy, market, gone)
        held.cost -= (held.cost * gone) / held.amount
        held.amount -= gone
        over -= gone
      }
    }
  }

  /** The holdings at these prices, in 10^-9. */
  held(prices: ArrayLike<number>): BacktestHeld[] {
    return [...this.#held.values()]
      .filter(({ amount }) => amount !== 0n)
      .map(({ strategy, market, amount: atoms, cost: atomsPaid }) => {
        const [amount, cost] = [new Decimal(formatAtoms(atoms)), new Decimal(formatAtoms(atomsPaid))]
        const mark = new Decimal(prices[market] ?? 0).times('1e-9')
        return {
          strategy,
          market: this.#venue.trading.markets[market]?.name ?? '',
          amount: amount.toFixed(),
          entry: cost.div(amount).toDecimalPlaces(entryDigits, Decimal.ROUND_HALF_EVEN).toFixed(),
          mark: mark.toFixed(),
          unrealised: amount.times(mark).minus(cost).toFixed(),
        }
      })
  }

  #heldBy(strategy: string, market: number): Held {
    const key = `${strategy} ${market}`
    let held = this.#held.get(key)
    if (!held) this.#held.set(key, (held = { strategy, market, amount: 0n, cost: 0n }))
    return held
  }
}

/** Against the average entry; an amount beyond a flat position opens the next one. Shares are truncated towards zero. */
function realise(held: Held, amount: Atoms, money: Atoms): Atoms {
  const before = held.amount
  const after = before + amount
  held.amount = after
  if (before * amount >= 0n) {
    held.cost += money
    return 0n
  }
  const isFlipped = after * before < 0n
  const moneyOfIt = isFlipped ? (money * before) / amount : -money
  const costOfIt = isFlipped || after === 0n ? held.cost : (held.cost * -amount) / before
  held.cost = isFlipped ? money + moneyOfIt : held.cost - costOfIt
  const profit = size(moneyOfIt) - size(costOfIt)
  return before > 0n ? profit : -profit
}

function size(value: Atoms): Atoms {
  return value < 0n ? -value : value
}

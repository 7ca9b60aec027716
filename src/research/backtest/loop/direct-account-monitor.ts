import type { AccountMonitor } from '#src/runtime/loop/bot.ts'
import { contestedMarkets } from '#src/runtime/account/fills-in-deal-order.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { AccountReading } from '#src/runtime/account/account-reading.ts'
import type { AccountParts } from '#src/engine/rules/compiled-strategy.ts'
import type { SeenOrder } from '#src/engine/events.ts'
import type { Account, Order, State } from '#src/engine/state/state.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { AccountBooks } from '#src/research/backtest/measures/account-books.ts'
import { watchBalances, watchDeals, watchOrders } from './exchange-events.ts'

/** How the bot learns about its orders. */
export type AccountView = {
  forBot: AccountMonitor
  /** Emits changes of orders; true if there were any. */
  tellSeen: () => boolean | Promise<boolean>
  /** Reads the account if it can have changed, by prices alone only if those count; emits it if it has changed; true if so. */
  tellAccount: (countsPrices: boolean) => boolean | Promise<boolean>
}

type Parts = {
  exchange: Exchange
  reading: AccountReading
  readsAccount: AccountParts
  state: () => State
  tell: (event: NewEvent) => void
}

type Balances = Account['available']

const readingsUntilBelieved = 3

/**
 * Reads changes of our orders from the exchange itself, as they happen, instead of polling lists. The changes wait until the bot
 * takes them.
 */
export class DirectAccountMonitor implements AccountView {
  readonly #parts: Parts
  /** By the id of the exchange; of two changes of the same order only the later one counts. */
  readonly #seen = new Map<string, SeenOrder>()
  /** All changes of these orders, in their order. */
  #steps: SeenOrder[] = []

  /** The time of an order's last deal, by the id of the exchange. */
  readonly #dealtAt = new Map<string, number>()
  /** How many more times the whole account has to be read. */
  #readings = 0
  readonly #books: AccountBooks
  /** Whether an event has changed balances since the last reading. */
  #isChanged = true

  constructor(parts: Parts) {
    this.#parts = parts
    this.#books = new AccountBooks(parts.exchange)
    watchBalances(parts.exchange, () => this.balancesChanged())
    watchOrders(parts.exchange, (seen) => {
      seen.dealtAt = this.#dealtAt.get(seen.venueId)
      if (seen.ended) this.#dealtAt.delete(seen.venueId)
      this.#seen.set(seen.venueId, seen)
      this.#steps.push(seen)
    })
    watchDeals(parts.exchange, (deal, place) => {
      this.#dealtAt.set(String(deal.order), deal.at)
      // The venue has liquidated a position. The bot accepts that after several readings.
      if (!place) this.#readings = readingsUntilBelieved
    })
  }

  /** The next reading of the account is not skipped. */
  balancesChanged(): void {
    this.#isChanged = true
  }

  /** Emits changes that are not known yet; true if there were any. */
  readonly tellSeen = (): boolean | Promise<boolean> => {
    if (this.#readings > 0) return this.#readAll()
    if (this.#seen.size === 0) return false
    const { orders } = this.#parts.state()
    const news: SeenOrder[] = []
    // In the order of a venue's lists: open orders first, and of ended ones the newest first.
    const [open, ended]: [SeenOrder[], SeenOrder[]] = [[], []]
    for (const seen of this.#seen.values()) (seen.ended ? ended : open).push(seen)
    for (const seen of [...open, ...ended.reverse()]) {
      const order = orderOf(orders, seen)
      // Its answer is pending and contains its progress.
      if (order?.status === 'sending') continue
      this.#seen.delete(seen.venueId)
      const isKnown = order?.filled === seen.filled && (order.status === 'ended' || !seen.ended)
      if (order === undefined || isKnown) continue
      seen.id = order.id
      news.push(seen)
    }
    const steps = this.#steps
    this.#steps = steps.filter(({ venueId }) => this.#seen.has(venueId))
    if (news.length === 0) return false
    this.#parts.tell({ kind: 'seen', orders: asDealt(this.#parts.state(), news, steps) })
    return true
  }

  async #readAll(): Promise<boolean> {
    this.#readings -= 1
    this.#seen.clear()
    this.#steps = []
    await this.forBot.read()
    return true
  }

  readonly tellAccount = (countsPrices: boolean): boolean => {
    const { readsAccount, state, tell } = this.#parts
    const known = state().account
    const isChanged = this.#isChanged || this.#books.isInvested
    const isMoved = countsPrices && readsAccount.equity && this.#books.isExposed
    if (!isChanged && !isMoved) return false
    this.#isChanged = false
    const { equity } = this.#books
    // Prices alone change only the equity.
    const isWhole = !known || (isChanged && readsAccount.balances)
    const { available, freeze, main } = isWhole ? this.#books.balances : known
    if (known?.equity === equity && (!isWhole || areSame([available, freeze, main], known))) return false
    tell({ kind: 'account', equity, available, freeze, main })
    return true
  }

  /** For a bot that receives everything else at once. */
  readonly forBot: AccountMonitor = {
    read: async () => {
      const { reading, state, tell } = this.#parts
      for (const event of await reading.read(state())) tell(event)
      return reading.outcome
    },
    contact: () => this.#parts.reading.contact,
    found: () => this.#parts.reading.found,
    hint: () => {},
    beat: () => {},
    resolve: async () => [],
    inDealOrder: (listed) => this.#parts.reading.inDealOrder(this.#parts.state(), listed),
    giveUp: () => {},
    close: async () => {},
  }
}

function areSame(balances: readonly Balances[], { available, freeze, main }: Account): boolean {
  return JSON.stringify(balances) === JSON.stringify([available, freeze, main])
}

/** The order of the bot; an amended one has the client order id of the order that it has replaced. */
function orderOf(orders: State['orders'], { id, venueId }: SeenOrder): Order | undefined {
  const first = orders[id]
  if (first && (first.venueId === venueId || !first.venueId)) return first
  const sharing = Object.values(orders).filter(({ amends }) => amends?.clientId === id)
  const known = sharing.find((order) => order.venueId === venueId)
  return known ?? sharing.findLast((order) => !order.venueId) ?? first
}

/** Where the order of fills matters: fills in the order of deals, as live. */
function asDealt(state: State, news: readonly SeenOrder[], steps: readonly SeenOrder[]): SeenOrder[] {
  // One change has no order.
  if (steps.length === 1) return [...news]
  const contested = contestedMarkets(state, news)
  if (contested.size === 0) return [...news]
  const last = new Map(news.map((seen) => [seen.venueId, seen]))
  const isContested = ({ id }: SeenOrder) => contested.has(state.orders[id]?.market ?? '')
  const dealt = steps.flatMap((step) => {
    const seen = last.get(step.venueId)
    if (!seen || !isContested(seen)) return []
    return step === seen ? [seen] : [{ ...step, id: seen.id, ended: false, passing: true as const }]
  })
  return [...news.filter((seen) => !isContested(seen)), ...dealt]
}

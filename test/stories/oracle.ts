import type { State } from '#src/engine/state/state.ts'
import type { RunningExchange } from '#src/exchange/http/server.ts'
import { restingOf } from '#src/exchange/trading/orders/find-orders.ts'
import { factsAt, newestFirst } from '#src/exchange/trading/orders/order-history.ts'
import { formatAtoms, parseAtoms, type Atoms } from '#src/core/money/atoms.ts'

type Kept = {
  id: string
  label: string
  market: string
  sells: boolean
  left: Atoms
  price: Atoms
  filled: Atoms
}

/** Reads an account inside of the exchange, past the wire and without code of the bot, and compares it with the bot. */
export class StoryOracle {
  readonly #running: RunningExchange
  /** Maximum exposure by market, in atoms of money. */
  readonly #most = new Map<string, Atoms>()
  readonly faults: string[] = []

  constructor(running: RunningExchange) {
    this.#running = running
  }

  /** Two orders of one label must never be open at once. */
  check(): void {
    const alive = new Map<string, string>()
    for (const { id, label } of this.resting()) {
      if (alive.has(label)) this.faults.push(`${id} and ${alive.get(label)} are alive at once`)
      alive.set(label, id)
    }
    for (const market of this.#running.exchange.venue.markets.keys()) {
      const stake = this.#stakeIn(market)
      if (stake > (this.#most.get(market) ?? 0n)) this.#most.set(market, stake)
    }
  }

  mostIn(market: string): number {
    return Number(formatAtoms(this.#most.get(market) ?? 0n))
  }

  /** Open orders, without those of a person at the same account. */
  resting(): Kept[] {
    return this.#allResting().filter(isOurs)
  }

  #allResting(): Kept[] {
    const { venue } = this.#running.exchange
    const { orders } = venue.trading.state
    return [...restingOf(venue.trading, this.#account, {})].map(({ row, market }) => {
      const [lots, left] = [orders.lots[row] ?? 0, orders.left[row] ?? 0]
      const id = orders.clientId[row] ?? ''
      return {
        id,
        label: labelOf(id),
        market: market.name,
        sells: orders.sells[row] === 1,
        left: parseAtoms(market.amountText(left)),
        filled: parseAtoms(market.amountText(lots - left)),
        price: parseAtoms(market.priceText(orders.ticks[row] ?? 0)),
      }
    })
  }

  ended(): Kept[] {
    const { venue } = this.#running.exchange
    const { finished } = this.#account
    const all = [...newestFirst(finished)].flatMap((place) => {
      const market = venue.trading.markets[finished.market[place] ?? 0]
      if (market === undefined) return []
      const { clientId, sells, lots, left, ticks } = factsAt(finished, place)
      const [filled, price] = [
        parseAtoms(market.amountText(lots - left)),
        parseAtoms(market.priceText(ticks)),
      ]
      const label = labelOf(clientId)
      return [{ id: clientId, label, market: market.name, sells, left: 0n, filled, price }]
    })
    return all.filter(isOurs)
  }

  /** Differences between the bot and the exchange. */
  disagreements({ orders, strategies }: State): string[] {
    const found = [...this.faults]
    const resting = new Map(this.resting().map((order) => [order.id, order]))
    const ended = new Map(this.ended().map((order) => [order.id, order]))
    const alive = Object.values(orders).filter(({ status }) => status !== 'ended')
    for (const { id, status, filled } of alive) {
      const there = resting.get(id)
      if (status !== 'resting') found.push(`${id} is ${status}`)
      if (there === undefined) found.push(`${id} rests by our word alone`)
      else if (there.filled !== parseAtoms(filled)) found.push(`${id} has filled otherwise`)
    }
    for (const id of resting.keys())
      if (orders[id]?.status !== 'resting') found.push(`${id} rests there, here it is ${orders[id]?.status}`)
    for (const { id, status, filled } of Object.values(orders)) {
      if (status === 'ended' && (ended.get(id)?.filled ?? 0n) !== parseAtoms(filled))
        found.push(`${id} ended with ${formatAtoms(ended.get(id)?.filled ?? 0n)}, here with ${filled}`)
    }
    const net = new Map<string, Atoms>()
    for (const { market, sells, filled } of [...resting.values(), ...ended.values()])
      net.set(market, (net.get(market) ?? 0n) + (sells ? -filled : filled))
    const held = Object.values(strategies).flatMap(({ holdings }) => Object.values(holdings))
    const ours = held.reduce((sum, { position }) => sum + signed(position), 0n)
    const theirs = [...net.values()].reduce((sum, amount) => sum + amount, 0n)
    if (ours !== theirs) found.push(`we hold ${formatAtoms(ours)}, there it is ${formatAtoms(theirs)}`)
    return found
  }

  get #account() {
    const account = this.#running.exchange.state.accounts.get('paper')
    if (account === undefined) throw new Error('there is no account paper')
    return account
  }

  /** The larger side: cost of the position plus the open orders of that side. */
  #stakeIn(name: string): Atoms {
    const { venue } = this.#running.exchange
    const market = venue.markets.get(name)
    const exposure = this.#account.collateral.exposures[2 * (market?.number ?? 0)]
    const cost = exposure?.cost ?? 0n
    const open = { buys: 0n, sells: 0n }
    for (const { market: where, sells, left, price } of this.resting()) {
      if (where === name) open[sells ? 'sells' : 'buys'] += (left * price) / 10n ** 18n
    }
    const [long, short] = (exposure?.lots ?? 0) >= 0 ? [cost, 0n] : [0n, cost]
    const [up, down] = [long + open.buys - short, short + open.sells - long]
    return up > down ? up : down
  }
}

function isOurs({ id }: Kept): boolean {
  return id.startsWith('story.')
}

function labelOf(id: string): string {
  return id.replace(/\.[^.]+$/, '')
}

function signed(text: string): Atoms {
  return text.startsWith('-') ? -parseAtoms(text.slice(1)) : parseAtoms(text)
}

import type { Lookout } from '#src/bot/bot.ts'
import type { Told } from '#src/bot/driver.ts'
import type { AccountReading } from '#src/bot/reading.ts'
import type { State } from '#src/engine/state.ts'
import type { Exchange } from '#src/exchange/exchange.ts'

type Tell = NonNullable<Exchange['venue']['floor']['tell']>
type Trader = Parameters<Tell['order']>[0]
export type Deal = Parameters<Tell['deal']>[1]

/**
 * Sees at the venue itself what becomes of our orders, as it happens, instead of reading lists of them. What it has seen
 * waits until somebody takes it.
 */
export class DirectLookout {
  readonly #reading: AccountReading
  readonly #state: () => State
  readonly #tell: (event: Told) => void
  /** By our id; of two news of the same order only the later one means something. */
  readonly #seen = new Map<string, Extract<Told, { kind: 'seen' }>>()

  constructor(about: { reading: AccountReading; state: () => State; tell: (event: Told) => void }) {
    this.#reading = about.reading
    this.#state = about.state
    this.#tell = about.tell
  }

  /** To be hung up where the venue tells of its orders. */
  floorTell(exchange: Exchange, account: string, onDeal: (deal: Deal) => void): Tell {
    const { floor, state } = exchange.venue
    const isOurs = ({ name, house }: Trader) => !house && name === account
    return {
      trade: () => {},
      deal: (trader, deal) => {
        if (isOurs(trader)) onDeal(deal)
      },
      order: (trader, row, what) => {
        if (what === 'rests' || !isOurs(trader)) return
        const { orders } = state
        const market = floor.markets[orders.market[row] ?? 0]
        if (!market) return
        const [lots, left, quanta] = [orders.lots[row] ?? 0, orders.left[row] ?? 0, orders.quanta[row] ?? 0]
        const id = orders.clientId[row] ?? ''
        this.#seen.set(id, {
          kind: 'seen',
          id,
          venueId: String(orders.id[row]),
          filled: market.amountText(lots - left),
          money: market.moneyText(quanta),
          fee: market.feeText(quanta, orders.taken[row] ?? 0),
          ended: what === 'ended',
        })
      },
    }
  }

  /** Tells what was seen and is not known yet; true when there was something. */
  tellSeen(): boolean {
    if (this.#seen.size === 0) return false
    const { orders } = this.#state()
    let told = false
    for (const [id, seen] of this.#seen) {
      const order = orders[id]
      // Its answer is on its way, and says how far it has come.
      if (order?.status === 'sending') continue
      this.#seen.delete(id)
      const isKnown = order?.filled === seen.filled && (order.status === 'ended' || !seen.ended)
      if (order === undefined || isKnown) continue
      this.#tell(seen)
      told = true
    }
    return told
  }

  /** The lookout of a bot that is told all the rest at once. */
  readonly forBot: Lookout = {
    read: async () => {
      for (const event of await this.#reading.read(this.#state())) this.#tell(event)
    },
    hint: () => {},
    beat: () => {},
    look: async () => [],
    giveUp: () => {},
    close: async () => {},
  }
}

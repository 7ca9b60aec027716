import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import type { AccountReads, AccountReport } from '#src/venue/port.ts'

type Balances = Pick<Extract<NewEvent, { kind: 'account' }>, 'available' | 'freeze' | 'main'>

/** The last equity stays valid for this time if only the equity cannot be read. */
const equityMs = 60_000

/** Reads the balances of all accounts, and the equity of the account that holds the positions. */
export class BalanceReading {
  readonly #reads: AccountReads
  readonly #venueClock: Pick<VenueClock, 'now' | 'speed'>
  #told = ''
  /** The last equity, and its time. */
  #equity: string | null = null
  #equityAt = 0
  /** At the last read. */
  leverage: AccountReport['leverage'] = null

  constructor(reads: AccountReads, venueClock: Pick<VenueClock, 'now' | 'speed'>) {
    this.#reads = reads
    this.#venueClock = venueClock
  }

  /** Balances by currency, if they have changed; undefined if they could not be read. */
  async read(): Promise<NewEvent[] | undefined> {
    const balances = await this.#balancesNow()
    const equity = await this.#equityNow()
    if (!balances) return undefined
    const account = { equity, ...balances }
    const text = JSON.stringify(account)
    if (text === this.#told) return []
    this.#told = text
    return [{ kind: 'account', ...account }]
  }

  async #balancesNow(): Promise<Balances | undefined> {
    const trading = await this.#reads.balances()
    const main = await this.#reads.mainBalances()
    if (trading.kind !== 'read' || (main.kind !== 'read' && main.kind !== 'denied')) return undefined
    return { ...trading.value, main: main.kind === 'read' ? main.value : {} }
  }

  /** The equity determines the size of ladders: it becomes unknown only after repeated failures. */
  async #equityNow(): Promise<string | null> {
    const answer = await this.#reads.equity()
    const at = this.#venueClock.now()
    if (answer.kind === 'read') {
      this.#equity = answer.value.equity
      this.leverage = answer.value.leverage
      this.#equityAt = at
    } else if (answer.kind === 'denied' || at - this.#equityAt > equityMs * this.#venueClock.speed)
      this.#equity = null
    return this.#equity
  }
}

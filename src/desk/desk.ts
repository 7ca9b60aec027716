import type { RunningBot } from '#src/bot/bot.ts'
import type { Contact } from '#src/bot/contact.ts'
import type { Clock } from '#src/time/clock.ts'
import type { Act } from './acts.ts'
import { KnownStrategies, type Known } from './known.ts'
import { reasonsOf, type Reasons } from './reasons.ts'
import { tablesOf, type About } from './rows.ts'
import type { Status } from './status.ts'
import type { Tables } from './tables.ts'

export type DeskParts = {
  bot: Pick<RunningBot, 'state' | 'waiting' | 'operate'>
  clock: Clock
  contact: () => Contact
  about: Pick<About, 'version' | 'venueUrl' | 'real' | 'files'>
}

/** Reasons are counted out so often at most, for each strategy. */
const reasonsMs = 1000

/** What an operator sees of a bot that runs, and does to it. It looks only when somebody asks. */
export class Desk {
  /** Where it is shown to people; null before it is. */
  url: string | null = null
  readonly #parts: DeskParts
  readonly #known = new KnownStrategies()
  readonly #reasons = new Map<string, Reasons>()
  #reasonsAt = -Infinity

  constructor(parts: DeskParts) {
    this.#parts = parts
  }

  get state() {
    return this.#parts.bot.state
  }

  known(): Known {
    return this.#known.of(this.state)
  }

  process(): Status['process'] {
    const { bot, about, contact } = this.#parts
    return { pid: process.pid, url: about.venueUrl, waiting: bot.waiting, ...contact() }
  }

  operate(act: Act): void | Promise<void> {
    return this.#parts.bot.operate(act)
  }

  /** All that can be seen now. */
  tables(): Tables {
    const { bot, about, contact } = this.#parts
    const known = this.known()
    this.#recount(known)
    return tablesOf(this.state, known, this.#reasons, {
      ...about,
      pid: process.pid,
      waiting: bot.waiting,
      contact: contact(),
      dashboard: this.url,
      lanes: {},
    })
  }

  #recount(known: Known): void {
    const now = this.#parts.clock.monotonic()
    if (now - this.#reasonsAt < reasonsMs) return
    this.#reasonsAt = now
    this.#reasons.clear()
    for (const [name, compiled] of known) {
      const own = this.state.strategies[name]
      if (own) this.#reasons.set(name, reasonsOf(this.state, compiled, own))
    }
  }
}

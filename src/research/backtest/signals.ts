import { BotError } from '#src/core/errors/bot-error.ts'
import type { HistoricalSignals } from '#src/market/data/historical-market.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import { signalFault } from '#src/strategy/signals/signal-values.ts'

/** Without its signals a strategy would never act, and a row with a misspelled name would have no effect: both are errors. */
export function refuseSignals(strategies: readonly Read[], signals: HistoricalSignals | undefined): void {
  const files = strategies.map(({ strategy }) => strategy)
  if (!signals) {
    const lacking = files.find((strategy) => Object.keys(strategy.signals).length > 0)
    if (!lacking) return
    throw new BotError('USAGE', {
      seen: `${lacking.name} reads the signal ${Object.keys(lacking.signals).join(', ')}, and there is no file of signals`,
      fix: 'Pass a CSV file with the columns time,name,value: --signals FILE',
    })
  }
  const known = new Set<string>()
  for (const { name, value, line } of signals.rows) {
    const key = `${name} ${value}`
    if (known.has(key)) continue
    known.add(key)
    const fault = signalFault(files, { name, value })
    if (!fault) continue
    throw new BotError('MARKET_INVALID', { seen: `${signals.file}:${line} ${fault.what}`, fix: fault.fix })
  }
}

/** The signals that have not come yet. */
export class SignalCursor {
  readonly #rows: HistoricalSignals['rows']
  #next = 0

  constructor({ rows }: Pick<HistoricalSignals, 'rows'> = { rows: [] }) {
    this.#rows = rows
  }

  /** When the next one comes; Infinity after the last one. */
  get nextAt(): number {
    return this.#rows[this.#next]?.at ?? Infinity
  }

  /** The signals up to and including this moment. Of those before it, which a start finds, the last of each name counts. */
  take(now: number): NewEvent[] {
    const before = new Map<string, NewEvent>()
    const events: NewEvent[] = []
    for (; this.nextAt <= now; this.#next += 1) {
      const { name, value, at } = this.#rows[this.#next]!
      if (at < now) before.set(name, { kind: 'signal', name, value, since: at })
      else events.push({ kind: 'signal', name, value })
    }
    return [...before.values(), ...events]
  }
}

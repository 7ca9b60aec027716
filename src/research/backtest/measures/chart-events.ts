import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Step } from '#src/engine/step-context.ts'
import { stopReason } from '#src/engine/rules/halts.ts'
import type { LadderState, State } from '#src/engine/state/state.ts'
import { formatAtoms, parseAtoms, type Atoms } from '#src/core/money/atoms.ts'
import type {
  BacktestAlert,
  BacktestBlock,
  BacktestInvested,
  BacktestResult,
  BacktestStop,
} from '#src/research/backtest/result/result.ts'

/** Further texts are only counted: texts with numbers could be without end. */
const textsKept = 20

type TimedBlock = BacktestBlock & { totalMs: number }
/** `lasts`: whether it still blocks. */
type RunningBlock = { row: TimedBlock; since: number; lasts: () => boolean }

/** Events besides orders and fills, in a bounded number of rows. */
export class ChartEvents {
  readonly #stops = new Map<string, BacktestStop>()
  readonly #alerts = new Map<string, BacktestAlert>()
  readonly #blocked = new Map<string, TimedBlock>()
  readonly #invested = new Map<string, { row: Omit<BacktestInvested, 'amount'>; sum: Atoms }>()
  /** By ladder, and by rule that closes shares: the block that lasts. */
  readonly #running = new Map<string, RunningBlock>()
  readonly #state: () => State
  #alertCount = 0

  constructor(state: () => State) {
    this.#state = state
  }

  take({ notes }: Step): void {
    this.#endBlocks()
    for (const note of notes) this.#noted(note)
  }

  #noted(note: BotEvent): void {
    if (note.type === 'halted' || note.type === 'paused') this.#stopped(note)
    else if (note.type === 'resumed') this.#resumed(note)
    else if (note.type === 'alert') this.#alerted(note)
    else if (note.type === 'risk-blocked') this.#kept(note)
    else if (note.type === 'flex-invested') this.#offered(note)
  }

  /** The number of halts of a strategy. */
  get halts(): number {
    return [...this.#stops.values()].reduce(
      (sum, { kind, times }) => sum + (kind === 'halted' ? times : 0),
      0,
    )
  }

  told(to: number): Pick<BacktestResult, 'stops' | 'alerts' | 'blocked' | 'invested'> {
    for (const { row, since } of this.#running.values()) row.totalMs += to - since
    this.#running.clear()
    return {
      stops: [...this.#stops.values()],
      alerts: { count: this.#alertCount, texts: [...this.#alerts.values()] },
      blocked: [...this.#blocked.values()],
      invested: [...this.#invested.values()].map(({ row, sum }) =>
        Object.assign(row, { amount: formatAtoms(sum) }),
      ),
    }
  }

  #stopped({ type: kind, at, strategy, reason, ...by }: Note<'halted' | 'paused'>): void {
    const rule: string | null = by.rule ?? null
    const key = `${strategy} ${kind} ${rule}`
    const known = this.#stops.get(key)
    if (known) Object.assign(known, { times: known.times + 1, last: at, resumed: null })
    else this.#stops.set(key, { strategy, kind, rule, reason, times: 1, first: at, last: at, resumed: null })
  }

  /** A backtest has no operator: only a pause ends, with its rule. */
  #resumed({ at, strategy, rule }: Note<'resumed'>): void {
    const known = this.#stops.get(`${strategy} paused ${rule ?? null}`)
    if (known) known.resumed = at
  }

  #alerted({ at, message: text, ...by }: Note<'alert'>): void {
    const strategy: string | null = by.strategy ?? null
    this.#alertCount += 1
    const key = `${strategy} ${text}`
    const known = this.#alerts.get(key)
    if (known) known.count += 1
    else if (this.#alerts.size < textsKept) this.#alerts.set(key, { strategy, text, count: 1, first: at })
  }

  /** By the kind of limit; the numbers of the reason are those of the first order. */
  #kept({ at, strategy, ladder, kind, reason, rule }: Note<'risk-blocked'>): void {
    const key = `${strategy} ${ladder} ${kind} ${rule ?? ''}`
    const row = this.#blocked.get(key) ?? { strategy, ladder, reason, count: 0, totalMs: 0, first: at }
    row.count += 1
    this.#blocked.set(key, row)
    const limit = `risk ${kind}`
    const place = `${strategy} ${ladder} ${rule ?? ''}`
    const lasts =
      rule === undefined
        ? () => this.#limitOf(row) === limit
        : () => this.#ladderOf(row)?.exits.lossWaits?.includes(rule) === true
    // A limit that blocks only exits takes no time from entries.
    if (lasts() && !this.#running.has(place)) this.#running.set(place, { row, since: at, lasts })
  }

  /** No event reports the end of a block. */
  #endBlocks(): void {
    for (const [key, { row, since, lasts }] of this.#running) {
      if (lasts()) continue
      row.totalMs += this.#state().at - since
      this.#running.delete(key)
    }
  }

  /** The limit that blocks the entries of a ladder; null if a halt stops them anyway. */
  #limitOf(row: BacktestBlock): string | null {
    return stopReason(this.#state(), row.strategy, 'entry') ? null : (this.#ladderOf(row)?.blocked ?? null)
  }

  #ladderOf({ strategy, ladder }: BacktestBlock): LadderState | undefined {
    return this.#state().strategies[strategy]?.ladders[ladder]
  }

  #offered({ strategy, currency, amount, outcome, ...told }: Note<'flex-invested'>): void {
    // For an approved order, the amount again.
    const message = outcome === 'accepted' ? null : (told.message ?? null)
    const key = `${strategy} ${currency} ${outcome} ${message}`
    const before = this.#invested.get(key)
    const { row, sum } = before ?? { row: { strategy, currency, outcome, message, count: 0 }, sum: 0n }
    row.count += 1
    this.#invested.set(key, { row, sum: sum + parseAtoms(amount) })
  }
}

type Note<Type extends BotEvent['type']> = Extract<BotEvent, { type: Type }>

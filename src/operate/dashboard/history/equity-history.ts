import type { DatabaseSync } from 'node:sqlite'
import { Decimal } from '#src/core/money/decimal.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { drawdownCapital, drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'
import type { State } from '#src/engine/state/state.ts'
import type { CompiledByName } from '#src/operate/dashboard/strategy-cache.ts'
import { together } from './history-file.ts'

/** Equity and drawdown. */
export type Point = [at: number, equity: string, drawdown: string]

const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000]
/** Each range keeps the last value of each of its steps: about 700 of them. `all` ends after 1000 days. */
const ranges = {
  '1h': { stepMs: 5 * secondMs, spanMs: hourMs },
  '24h': { stepMs: 2 * minuteMs, spanMs: 24 * hourMs },
  '7d': { stepMs: 15 * minuteMs, spanMs: 168 * hourMs },
  all: { stepMs: 6 * hourMs, spanMs: 24_000 * hourMs },
}
export type EquityRange = keyof typeof ranges
const steps = Object.values(ranges)

/** Undefined for an unknown range. */
export function equityRangeOf(text: string): EquityRange | undefined {
  return keysOf(ranges).find((name) => name === text)
}

/** If the venue does not report the equity: the sum of the results of the strategies. No strategy has this name. */
const results = '#results'

/** Equity of the account under the name '', and of each strategy under its name: its capital and its result. */
export class EquityHistory {
  readonly #db
  readonly #sql
  #at = -Infinity
  /** The subject whose old points are deleted next. */
  #next = 0

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#sql = {
      keep: db.prepare('INSERT OR REPLACE INTO equity VALUES (?, ?, ?, ?, ?, ?)'),
      remove: db.prepare('DELETE FROM equity WHERE subject = ? AND step = ? AND slot < ?'),
      first: db.prepare('SELECT min(at) AS at FROM equity WHERE subject = ? AND step = ?'),
      read: db.prepare(
        'SELECT at, equity, drawdown FROM equity WHERE subject = ? AND step = ? AND slot >= ? ORDER BY slot',
      ),
    }
  }

  sample(state: State, known: CompiledByName): void {
    const { account, at } = state
    if (account === null || at <= this.#at) return
    this.#at = at
    // A read can fail. The result of the strategies is another quantity and must not replace the equity.
    const [subject, sum] =
      account.equity === null ? [results, resultsOf(state)] : ['', new Decimal(account.equity).toFixed()]
    const subjects: [string, string, string][] = [[subject, sum, largestDrawdown(state)]]
    for (const [name, { worth }] of Object.entries(state.strategies)) {
      const compiled = known.get(name)
      const capital = compiled && drawdownCapital(compiled.strategy, worth)
      const equity = capital?.isFinite() ? capital.plus(worth.result).toFixed() : worth.result
      subjects.push([name, equity, drawdownOf(worth).drawdown])
    }
    together(this.#db, () => {
      for (const [subject, equity, drawdown] of subjects)
        for (const { stepMs } of steps)
          this.#sql.keep.run(subject, stepMs, Math.floor(at / stepMs), at, equity, drawdown)
      this.#next += 1
      const [oldest] = subjects[this.#next % subjects.length] ?? ['']
      for (const { stepMs, spanMs } of steps)
        this.#sql.remove.run(oldest, stepMs, firstSlot(at, stepMs, spanMs))
    })
  }

  /** The points of a range until now, the oldest first. `all` has as many details as a shorter range with the same points. */
  points(subject: string, range: EquityRange, now: number): Point[] {
    const since = (name: string) => this.#sql.first.get(name, ranges.all.stepMs)?.['at'] ?? null
    if (subject === '' && since('') === null && since(results) !== null)
      return this.points(results, range, now)
    const first = Number(since(subject) ?? now)
    const { stepMs, spanMs } =
      (range === 'all' ? steps.find((each) => now - first < each.spanMs) : undefined) ?? ranges[range]
    return this.#sql.read
      .all(subject, stepMs, firstSlot(now, stepMs, spanMs))
      .map(({ at, equity, drawdown }) => [Number(at), String(equity), String(drawdown)])
  }
}

function firstSlot(now: number, stepMs: number, spanMs: number): number {
  return Math.floor((now - spanMs) / stepMs)
}

function largestDrawdown({ running, strategies }: State): string {
  const drawdowns = running.flatMap((name) => {
    const own = strategies[name]
    return own ? [drawdownOf(own.worth).drawdown] : []
  })
  return Decimal.max(0, ...drawdowns).toFixed()
}

function resultsOf({ strategies }: State): string {
  return Object.values(strategies)
    .reduce((sum, { worth }) => sum.plus(worth.result), new Decimal(0))
    .toFixed()
}

import type { DatabaseSync } from 'node:sqlite'
import type { Holding, State } from '#src/engine/state/state.ts'
import type { CompiledByName } from '#src/operate/dashboard/strategy-cache.ts'
import { closingsOf, type Parts } from './closings.ts'
import { together } from './history-file.ts'
import { tradeRowOf, type TradeRow } from './trade-row.ts'

/** Trades that the page shows. */
export const tradesShown = 500
/** Older trades are deleted. */
export const tradesKept = 10_000
const deleteEvery = 100

type Place = { strategy: string; name: string; market: string }
/** A trade that was written, or removed. */
type Written = { id: string; row: TradeRow | undefined }

/**
 * The round trips of the strategies. The state of the engine has the fills of the last ten minutes and sums of all others, so
 * that the trades are read from it while it has them, and kept in a file.
 */
export class TradeHistory {
  readonly #db
  readonly #sql
  /** The newest ones, by id. */
  #rows: Readonly<Record<string, TradeRow>> = {}
  /** The money of each holding when it was last recorded, to find the holdings that have changed. */
  readonly #seen = new Map<string, string>()
  /** Ids of trades with fills among the last bookings of a holding, each with its parts as they were written. */
  readonly #recent = new Map<string, Map<string, string>>()
  #untilDelete = 0

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#sql = {
      opened: db.prepare('SELECT opened FROM lots WHERE holding = ?'),
      keepOpened: db.prepare('INSERT OR REPLACE INTO lots VALUES (?, ?)'),
      parts: db.prepare('SELECT parts FROM trades WHERE id = ?'),
      keep: db.prepare('INSERT OR REPLACE INTO trades VALUES (?, ?, ?, ?)'),
      remove: db.prepare('DELETE FROM trades WHERE id = ?'),
      shorten: db.prepare(
        `DELETE FROM trades WHERE id NOT IN (SELECT id FROM trades ORDER BY closed_at DESC, id DESC LIMIT ${tradesKept})`,
      ),
      newest: db.prepare('SELECT id, row FROM trades ORDER BY closed_at DESC, id DESC LIMIT ?'),
      page: db.prepare(
        `SELECT id, closed_at, row FROM trades WHERE (closed_at, id) < (?, ?)
         ORDER BY closed_at DESC, id DESC LIMIT ${tradesShown}`,
      ),
    }
    this.#rows = Object.fromEntries(
      this.#sql.newest.all(tradesShown).map(({ id, row }) => [String(id), JSON.parse(String(row))]),
    )
  }

  /** The newest trades by id. The same object until one changes. */
  get newest(): Readonly<Record<string, TradeRow>> {
    return this.#rows
  }

  /** All kept trades, the newest first, in pages: the caller may let the bot work between two of them. */
  *pages(): Generator<TradeRow[]> {
    let after: [number, string] = [Number.MAX_SAFE_INTEGER, '']
    for (;;) {
      const rows = this.#sql.page.all(...after)
      const last = rows.at(-1)
      if (last === undefined) return
      yield rows.map(({ row }): TradeRow => JSON.parse(String(row)))
      after = [Number(last['closed_at']), String(last['id'])]
    }
  }

  /** Adds the trades of fills since the last call. */
  record(state: State, known: CompiledByName): void {
    const changed: (Place & { holding: Holding; key: string; print: string })[] = []
    for (const [strategy, { holdings }] of Object.entries(state.strategies)) {
      for (const [name, holding] of Object.entries(holdings)) {
        const key = `${strategy}.${name}`
        const print = `${holding.cost} ${holding.realized} ${holding.fees}`
        if (this.#seen.get(key) === print) continue
        const market = known.get(strategy)?.strategy.markets[name]?.symbol ?? name
        changed.push({ strategy, name, market, holding, key, print })
      }
    }
    if (changed.length === 0) return
    const written: Written[] = []
    const recent = new Map<string, Map<string, string>>()
    together(this.#db, () => {
      for (const each of changed) recent.set(each.key, this.#recordHolding(each, each.holding, written))
      if ((this.#untilDelete -= 1) > 0) return
      this.#untilDelete = deleteEvery
      this.#sql.shorten.run()
    })
    // Only what is in the file counts as recorded: after an error the next call tries again.
    for (const { key, print } of changed) this.#seen.set(key, print)
    for (const [key, ids] of recent) this.#recent.set(key, ids)
    if (written.length > 0) this.#rows = withRows(this.#rows, written)
  }

  /** Returns the ids of the trades with fills among the last bookings. */
  #recordHolding(place: Place, holding: Holding, done: Written[]): Map<string, string> {
    const key = `${place.strategy}.${place.name}`
    const kept = this.#sql.opened.get(key)?.['opened']
    const before: [string, number][] = kept === undefined ? [] : JSON.parse(String(kept))
    const { closings, opened, bookings } = closingsOf(holding, new Map(before))
    this.#sql.keepOpened.run(key, JSON.stringify([...opened]))
    const written = this.#recent.get(key) ?? new Map<string, string>()
    const recent = new Map<string, string>()
    // A late fill may have changed what an order closed.
    for (const id of new Set([...closings.keys(), ...written.keys()])) {
      const parts = JSON.stringify(closings.get(id) ?? {})
      if (closings.has(id)) recent.set(id, parts)
      if (written.get(id) !== parts) done.push(this.#write(place, id, closings.get(id), bookings))
    }
    return recent
  }

  /** Parts of fills that have left the last bookings stay; the others are replaced. */
  #write(
    { strategy, name, market }: Place,
    id: string,
    fresh: Parts | undefined,
    bookings: Set<string>,
  ): Written {
    const key = `${strategy}.${name} ${id}`
    const stored = this.#sql.parts.get(key)?.['parts']
    const old: Parts = stored === undefined ? {} : JSON.parse(String(stored))
    const isGone = (part: string) => !bookings.has(part.slice(0, part.lastIndexOf(' ')))
    const parts: Parts = {
      ...Object.fromEntries(Object.entries(old).filter(([part]) => isGone(part))),
      ...fresh,
    }
    const [first] = Object.values(parts)
    if (first === undefined) {
      this.#sql.remove.run(key)
      return { id: key, row: undefined }
    }
    const [ladder = '', exit = ''] = id.split('.')
    const row = tradeRowOf({ strategy, market, ladder, exit, side: first.side }, Object.values(parts))
    this.#sql.keep.run(key, row.closedAt, JSON.stringify(row), JSON.stringify(parts))
    return { id: key, row }
  }
}

/** The newest rows of both. */
function withRows(
  rows: Readonly<Record<string, TradeRow>>,
  written: readonly Written[],
): Record<string, TradeRow> {
  const all = new Map(Object.entries(rows))
  for (const { id, row } of written) {
    all.delete(id)
    if (row) all.set(id, row)
  }
  if (all.size <= tradesShown) return Object.fromEntries(all)
  const sorted = [...all].toSorted(([, one], [, other]) => one.closedAt - other.closedAt)
  return Object.fromEntries(sorted.slice(-tradesShown))
}

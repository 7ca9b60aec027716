import { hash } from 'node:crypto'
import type { Database } from '#src/fleet/database.ts'
import type {
  Funding,
  HistoricalListing,
  HistoricalSignals,
  MarketKind,
} from '#src/market/data/historical-market.ts'
import type { MarketColumns } from '#src/market/data/load/load-market.ts'
import type { SweepSubject } from '#src/research/sweep/backtest-key.ts'
import { variantsOf, type Choice } from '#src/research/sweep/variation.ts'
import type { WorkerSetting } from '#src/research/sweep/worker.ts'
import { sharedMarketData, shareMarketData } from './shared-markets.ts'

/** What the backtests of a sweep have in common, as stored at the server. */
type StoredSweep = {
  strategy: { path: string; text: string }
  /** The keys of the strategy that vary. */
  places: readonly string[]
  setting: SweepSubject['setting']
  funding: readonly (readonly [string, Funding])[]
  futures?: readonly (readonly [string, HistoricalListing])[]
  signals?: HistoricalSignals
  /** Hashes by symbol. */
  markets: SweepSubject['markets']
  depth?: SweepSubject['markets']
}
type ColumnsBySymbol<Kind extends MarketKind = 'bars' | 'trades'> = ReadonlyMap<string, MarketColumns<Kind>>

/** A sweep as a worker needs it. */
type OpenSweep = { setting: WorkerSetting; variant: (choice: Choice) => string }

/** Stores a sweep with its markets. Returns its id. */
export async function shareSweep(
  database: Database,
  sweep: StoredSweep,
  { columns, depth }: { columns: ColumnsBySymbol; depth: ColumnsBySymbol<'depth'> },
): Promise<string> {
  for (const [hashes, files] of [
    [sweep.markets, columns],
    [sweep.depth ?? [], depth],
  ] as const) {
    for (const [symbol, market] of hashes) {
      const own = files.get(symbol)
      if (own) await shareMarketData(database, market, own)
    }
  }
  const text = JSON.stringify(sweep)
  const id = hash('sha256', text)
  await database.query(
    'INSERT INTO rungs_sweep.sweeps (id, setting) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [id, text],
  )
  return id
}

/** Sweeps with their markets in memory: a worker changes between few of them. */
const keptMost = 3

export class OpenSweeps {
  readonly #database: Database
  /** The last used one last. */
  readonly #kept = new Map<string, Promise<OpenSweep>>()

  constructor(database: Database) {
    this.#database = database
  }

  of(id: string): Promise<OpenSweep> {
    const sweep = this.#kept.get(id) ?? this.#open(id, [...this.#kept.values()])
    this.#kept.delete(id)
    this.#kept.set(id, sweep)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > keptMost && oldest !== undefined) this.#kept.delete(oldest)
    sweep.catch(() => this.#kept.delete(id))
    return sweep
  }

  async #open(id: string, others: readonly Promise<OpenSweep>[]): Promise<OpenSweep> {
    const { rows } = await this.#database.query('SELECT setting FROM rungs_sweep.sweeps WHERE id = $1', [id])
    const text = rows[0]?.['setting']
    if (typeof text !== 'string') throw new Error(`the server has no sweep ${id}`)
    // This program has written it: the name of the queue has the version of its form.
    const { strategy, places, setting, funding, futures, signals, markets, depth }: StoredSweep =
      JSON.parse(text)
    return {
      setting: {
        ...setting,
        path: strategy.path,
        funding: new Map(funding),
        futures: new Map(futures),
        ...(signals && { signals }),
        columns: await this.#columnsOf(markets, others, (each) => each.columns),
        depth: await this.#columnsOf(depth ?? [], others, (each) => each.depth),
      },
      variant: variantsOf(
        strategy.text,
        places.map((path) => ({ path, values: [] })),
      ),
    }
  }

  async #columnsOf<Kind extends MarketKind>(
    hashes: SweepSubject['markets'],
    others: readonly Promise<OpenSweep>[],
    of: (setting: WorkerSetting) => ColumnsBySymbol<Kind>,
  ): Promise<ColumnsBySymbol<Kind>> {
    const there = await marketsOf(others, of)
    const columns = new Map<string, MarketColumns<Kind>>()
    for (const [symbol, market] of hashes)
      columns.set(symbol, there.get(market) ?? (await sharedMarketData<Kind>(this.#database, market)))
    return columns
  }
}

/** By hash. */
async function marketsOf<Kind extends MarketKind>(
  sweeps: readonly Promise<OpenSweep>[],
  of: (setting: WorkerSetting) => ColumnsBySymbol<Kind>,
): Promise<Map<string, MarketColumns<Kind>>> {
  const found = new Map<string, MarketColumns<Kind>>()
  for (const sweep of await Promise.allSettled(sweeps))
    if (sweep.status === 'fulfilled')
      for (const market of of(sweep.value.setting).values()) found.set(market.print, market)
  return found
}

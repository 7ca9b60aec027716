import type { Database } from '#src/fleet/database.ts'
import { outcomeSchema } from '#src/research/sweep/results-file.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import { notify } from './notified-wait.ts'

export type StoredResult = { key: string; run: 1 | 2; outcome: string; worker: string }

/** Keys in one query. */
const keysMost = 1000

export async function storeResults(database: Database, results: readonly StoredResult[]): Promise<void> {
  if (results.length === 0) return
  await database.query(
    `INSERT INTO rungs_sweep.results (key, run, outcome, worker)
     SELECT * FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING`,
    [
      results.map(({ key }) => key),
      results.map(({ run }) => run),
      results.map(({ outcome }) => outcome),
      results.map(({ worker }) => worker),
    ],
  )
  await notify(database, 'rungs_results')
}

export async function readResults(database: Database, keys: readonly string[]): Promise<StoredResult[]> {
  const { rows } = await database.query(
    'SELECT key, run, outcome, worker FROM rungs_sweep.results WHERE key = ANY($1)',
    [keys],
  )
  return rows.map((row) => ({
    key: String(row['key']),
    run: row['run'] === 2 ? 2 : 1,
    outcome: String(row['outcome']),
    worker: String(row['worker']),
  }))
}

export async function forgetResults(database: Database, key: string): Promise<void> {
  await database.query('DELETE FROM rungs_sweep.results WHERE key = $1', [key])
}

/** The outcomes of the first runs. */
export async function knownOutcomes(
  database: Database,
  keys: readonly string[],
): Promise<Map<string, VariantOutcome>> {
  const known = new Map<string, VariantOutcome>()
  for (let from = 0; from < keys.length; from += keysMost) {
    const results = await readResults(database, keys.slice(from, from + keysMost))
    for (const { key, run, outcome } of results) if (run === 1) known.set(key, outcomeOf(outcome))
  }
  return known
}

export function outcomeOf(text: string): VariantOutcome {
  return outcomeSchema.parse(JSON.parse(text))
}

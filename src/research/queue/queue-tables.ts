import type { Database } from '#src/fleet/database.ts'
import { makeSchema } from '#src/fleet/tables.ts'

/**
 * The tables of the sweeps, in the order in which they were added. A step is done once and never changed.
 *
 * `markets` and `blocks`: market data by the hash of its content, so that each worker can read it. `sweeps`: what the backtests
 * of a sweep have in common, by its hash. `results`: outcomes by the key of the backtest. A sample of the backtests runs twice:
 * `run` is 2 for the second time.
 */
const steps: readonly string[] = [
  `CREATE TABLE rungs_sweep.markets (
     hash text PRIMARY KEY, facts text NOT NULL, stored timestamptz NOT NULL DEFAULT now()
   );
   CREATE TABLE rungs_sweep.blocks (
     market text NOT NULL, number int NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (market, number)
   );
   CREATE TABLE rungs_sweep.sweeps (
     id text PRIMARY KEY, setting text NOT NULL, stored timestamptz NOT NULL DEFAULT now()
   );
   CREATE TABLE rungs_sweep.results (
     key text NOT NULL, run smallint NOT NULL, outcome text NOT NULL, worker text NOT NULL,
     stored timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (key, run)
   );`,
]

export async function makeSweepTables(database: Database): Promise<void> {
  await makeSchema(database, 'rungs_sweep', steps)
}

import { BotError } from '#src/core/errors/bot-error.ts'
import type { Database } from './database.ts'

/**
 * The tables of a fleet, in the order in which they were added. A step is done once and never changed.
 *
 * `leases`: which process may trade for an account, until when by the clock of the server, and the last confirmed record with
 * its link. `records`: the journal of each account, each record with the link of its chain. `states`: stored states of the
 * engine, from which a new machine starts. `reports`: what each process reports of itself; they are not worth a write to
 * disk. `commands`: what operators want of the process that trades for an account. `rollouts`: texts of strategies that
 * replace those of files.
 */
const steps: readonly string[] = [
  `CREATE TABLE rungs.leases (
     account text PRIMARY KEY,
     epoch bigint NOT NULL,
     holder text NOT NULL,
     expires timestamptz NOT NULL,
     confirmed bigint NOT NULL,
     link text NOT NULL,
     -- When processes took the lease, since the last one that ended normally.
     starts timestamptz[] NOT NULL,
     trace text,
     traced timestamptz
   );
   CREATE TABLE rungs.records (
     account text NOT NULL, seq bigint NOT NULL, epoch bigint NOT NULL, engine text NOT NULL, body text NOT NULL,
     chain text NOT NULL,
     PRIMARY KEY (account, seq)
   );
   CREATE TABLE rungs.states (
     account text NOT NULL, seq bigint NOT NULL, engine text NOT NULL, chain text NOT NULL, hash text NOT NULL,
     proof text NOT NULL, state text NOT NULL, PRIMARY KEY (account, seq)
   );`,
  `CREATE UNLOGGED TABLE rungs.reports (
     account text NOT NULL, process text NOT NULL,
     -- None for a process that waits for the lease.
     epoch bigint,
     report text,
     reported timestamptz NOT NULL,
     PRIMARY KEY (account, process)
   );
   CREATE TABLE rungs.commands (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     account text NOT NULL, command text NOT NULL,
     until timestamptz NOT NULL,
     -- The lease of the process that has received it.
     epoch bigint,
     answer text
   );
   CREATE INDEX ON rungs.commands (account) WHERE answer IS NULL;
   CREATE TABLE rungs.rollouts (
     account text NOT NULL, strategy text NOT NULL, text text NOT NULL,
     -- Hashes of the texts that it replaces.
     replaces text[] NOT NULL,
     PRIMARY KEY (account, strategy)
   );`,
]

export async function makeTables(database: Database): Promise<void> {
  await refuseUnsafe(database)
  await makeSchema(database, 'rungs', steps)
}

/** Two processes may do this at once: the lock is that of the transaction. */
export async function makeSchema(
  database: Database,
  schema: string,
  schemaSteps: readonly string[],
): Promise<void> {
  await database.query(`DO $$ BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('${schema}'));
    CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS ${schema}.version (done int NOT NULL);
    INSERT INTO ${schema}.version SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM ${schema}.version);
    ${schemaSteps
      .map(
        (step, index) => `
    IF (SELECT done FROM ${schema}.version) = ${index} THEN
      ${step}
      UPDATE ${schema}.version SET done = ${index + 1};
    END IF;`,
      )
      .join('')}
  END $$`)
  const { rows } = await database.query(`SELECT done FROM ${schema}.version`)
  const done = Number(rows[0]?.['done'])
  if (done <= schemaSteps.length) return
  throw new BotError('DATA_FOREIGN', {
    seen: `${database.name} has tables of version ${done}, and this program supports versions up to ${schemaSteps.length}`,
    fix: 'Use the newer rungs that made them, or another database',
  })
}

/** A server that confirms what a crash can lose, or that cannot write. */
async function refuseUnsafe(database: Database): Promise<void> {
  const { rows } = await database.query(
    `SELECT current_setting('fsync') = 'off' AS "fsync is off",
       current_setting('synchronous_commit') = 'off' AS "synchronous_commit is off",
       pg_is_in_recovery() AS "it is a standby server"`,
  )
  const problem = Object.entries(rows[0] ?? {}).find(([, isSo]) => isSo === true)?.[0]
  if (problem === undefined) return
  throw new BotError('FLEET_UNAVAILABLE', {
    seen: `${database.name} could lose records that it has confirmed: ${problem}`,
    fix: 'Use a primary server with the settings fsync = on and synchronous_commit = on',
  })
}

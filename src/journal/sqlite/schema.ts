import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { BotError } from '#src/core/errors/bot-error.ts'

export function journalPath(folder: string): string {
  return join(folder, 'journal.sqlite')
}

/** All files that a process holds open while the journal is its own. */
export function filesIn(folder: string): string[] {
  const path = journalPath(folder)
  return [path, `${path}-wal`, `${path}-shm`, join(folder, 'journal.lock'), join(folder, 'journal.end')]
}

/**
 * The tables, as they came to be: each of these is done once, in this order, and never changed afterwards. `user_version`
 * counts those that were.
 *
 * A record is an event with the commands and decisions that came of it, under one `seq`. Bodies are JSON and say all; the
 * columns beside them are there to find them by. `chain` is the sha256 of the chain before and of the record's bodies.
 * `states` holds the engine's whole state now and then, and more often only its hash.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE meta (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     account TEXT NOT NULL,
     -- Of older records, only those are left that open orders and the last answers to "why" need.
     complete_from INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE events (
     seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, chain TEXT NOT NULL
   ) STRICT;
   CREATE INDEX answers ON events (seq) WHERE kind = 'answered';
   CREATE TABLE commands (
     seq INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, strategy TEXT, body TEXT NOT NULL,
     PRIMARY KEY (seq, n)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE decisions (
     seq INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, strategy TEXT NOT NULL, ladder TEXT NOT NULL,
     body TEXT NOT NULL, PRIMARY KEY (seq, n)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX decisions_of_ladder ON decisions (strategy, ladder, seq);
   -- Every time an order was sent: with which record, and by which of its commands.
   CREATE TABLE sendings (
     order_id TEXT NOT NULL, seq INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (order_id, seq)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE states (
     seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, engine TEXT NOT NULL, chain TEXT NOT NULL, hash TEXT NOT NULL,
     proof TEXT NOT NULL, state TEXT
   ) STRICT;`,
]

/** How many answers are looked through for the one to a chunk: it comes soon, or never. */
export const answersMost = 2000

/** Brings the tables to what this program knows. What a newer one has made is not touched. */
export function migrate(db: DatabaseSync, path: string, steps: readonly string[]): void {
  const done = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
  if (done > steps.length) {
    throw new BotError('DATA_FOREIGN', {
      seen: `${path} has tables of version ${done}, and this program supports versions up to ${steps.length}`,
      fix: 'Use the newer rungs that wrote it, or name another folder',
    })
  }
  if (done === steps.length) return
  db.exec('BEGIN IMMEDIATE')
  for (const step of steps.slice(done)) db.exec(step)
  db.exec(`PRAGMA user_version = ${steps.length}; COMMIT`)
}

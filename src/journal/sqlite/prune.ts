import type { DatabaseSync } from 'node:sqlite'
import type { State } from '#src/engine/state/state.ts'
import { answersMost } from './schema.ts'

const answersAfter = `SELECT seq, body FROM events
  WHERE kind = 'answered' AND events.seq > chunk.seq ORDER BY seq LIMIT ${answersMost}`

/**
 * Forgets some of the oldest records, up to the one before the older of the two kept states. What stays of them: how
 * every open order was sent, what was decided then and answered, and the last decision of each ladder; each with the event
 * before it, whose hash it follows.
 */
export function prune(db: DatabaseSync, state: State, most: number): void {
  const from = Number(db.prepare('SELECT complete_from FROM meta').get()?.['complete_from'])
  const older = db.prepare('SELECT min(seq) AS seq FROM states WHERE state IS NOT NULL').get()
  const until = Math.min(from + most, Number(older?.['seq']))
  if (until <= from) return
  const open = Object.values(state.orders)
    .filter(({ status }) => status !== 'ended')
    .map(({ id, strategy, ladder }) => [id, strategy, ladder])
  const ladders = Object.entries(state.strategies).flatMap(([name, { ladders }]) =>
    Object.keys(ladders).map((ladder) => [name, ladder]),
  )
  db.exec('CREATE TEMP TABLE kept (seq INTEGER PRIMARY KEY)')
  db.prepare(
    `WITH
       open (id, strategy, ladder) AS (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)),
       sent (seq, n, strategy, ladder) AS (SELECT seq, n, strategy, ladder FROM open JOIN sendings ON order_id = id),
       chunk (seq, number) AS (
         SELECT DISTINCT seq, body ->> 'chunk' FROM sent JOIN commands USING (seq, n) WHERE seq < ?
       ),
       needed (seq) AS (
         SELECT seq FROM chunk
         UNION SELECT (SELECT max(seq) FROM decisions AS it
           WHERE it.strategy = sent.strategy AND it.ladder = sent.ladder AND it.seq <= sent.seq + (
             SELECT count(*) FROM events WHERE events.seq = sent.seq + 1 AND kind = 'carried')) FROM sent
         UNION SELECT (SELECT max(seq) FROM decisions
           WHERE strategy = value ->> 0 AND ladder = value ->> 1) FROM json_each(?)
         UNION SELECT (SELECT seq FROM (${answersAfter}) WHERE body ->> 'chunk' = chunk.number) FROM chunk
       )
     INSERT INTO kept SELECT seq FROM needed WHERE seq < ? UNION SELECT seq - 1 FROM needed WHERE seq < ?
     UNION SELECT ? - 1`,
  ).run(JSON.stringify(open), until, JSON.stringify(ladders), until, until, until)
  db.prepare(
    `DELETE FROM sendings WHERE (order_id, seq) IN (
       SELECT value ->> 'id', seq FROM commands, json_each(body, '$.orders')
       WHERE kind = 'submit' AND seq < ? AND seq NOT IN kept)`,
  ).run(until)
  for (const table of ['decisions', 'commands', 'events']) {
    db.prepare(`DELETE FROM ${table} WHERE seq < ? AND seq NOT IN kept`).run(until)
  }
  db.exec('DROP TABLE kept')
  db.prepare('UPDATE meta SET complete_from = ?').run(until)
}

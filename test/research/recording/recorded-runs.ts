import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { playTape, strategiesOf, type Played } from '#src/research/replay/play-tape.ts'
import type { State } from '#src/engine/state/state.ts'
import { readTape, type RecordedTape } from '#src/research/recording/read-tape.ts'
import type { TapeEvent } from '#src/research/recording/tape.ts'
import { TapeWriter } from '#src/research/recording/tape-writer.ts'

type Folder = { file: (name: string) => string }

/** A venue file for the account of the tests. */
export function venueFile(folder: Folder, url: string, more: readonly string[] = []): string {
  const path = folder.file('venue.yaml')
  const lines = [
    `url: ${url}`,
    'clientIds: forever',
    'settle: 0s',
    'leverage: 1',
    'key: paper-key',
    'secret: paper-secret',
  ]
  writeFileSync(path, [...lines, ...more].join('\n'))
  return path
}

/** Replays a tape. */
export async function playedAgain(path: string): Promise<Played & { tape: RecordedTape }> {
  const tape = readTape(path)
  return { tape, ...(await playTape(tape, strategiesOf(tape, path))) }
}

/** Removes explanations. */
export function knownIn(state: State): State {
  const known = structuredClone(state)
  for (const { ladders } of Object.values(known.strategies))
    for (const ladder of Object.values(ladders)) Object.assign(ladder, { told: null, blocked: null })
  return known
}

/** The final state of a run's journal. */
export function stateKept(folder: string): State {
  using db = new DatabaseSync(`${folder}/journal.sqlite`, { readOnly: true })
  const row = db.prepare('SELECT state FROM states WHERE state IS NOT NULL ORDER BY seq DESC LIMIT 1').get()
  return JSON.parse(z.string().parse(row?.['state']))
}

/** Number of lines of each kind. */
export function linesOf({ events }: RecordedTape): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of events) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** Writes a tape with changed lines and a valid hash chain. */
export async function rewritten(
  tape: RecordedTape,
  path: string,
  change: (event: TapeEvent) => TapeEvent,
): Promise<void> {
  const { kind: _, version: __, venue, ...begin } = tape.begin
  const parts = {
    path,
    secrets: [],
    onTrouble: () => {},
    begin: { ...begin, venue: venue ?? 'http://127.0.0.1' },
  }
  const writer = new TapeWriter(parts)
  for (const event of tape.events) writer.write(change(event))
  await writer.close(tape.begin.at)
}

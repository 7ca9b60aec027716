import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotError } from '#src/core/errors/bot-error.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import type { SentRequest } from '#src/journal/port.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { seed, times } from '../properties/runs.ts'
import { explainLast, live, open } from './counting-machine.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-journal-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A process that died with some of its records in the log and some in the file, and one that ended well. */
const [dead, well] = [join(folder, 'dead'), join(folder, 'well')]
let state = ''
let orders: string[] = []
beforeAll(() => {
  const journal = open(join(folder, 'whole'))
  const chance = chanceOf(seed)
  live(journal, 149, chance)
  explainLast(journal)
  journal.close()
  const again = open(join(folder, 'whole'))
  for (let turn = 0; turn < 20; turn++) {
    live(again, 9, chance)
    explainLast(again)
    again.commit()
  }
  state = JSON.stringify(again.machine.state)
  orders = Object.keys(again.machine.state.orders)
  cpSync(join(folder, 'whole'), dead, { recursive: true })
  again.close()
  cpSync(join(folder, 'whole'), well, { recursive: true })
})

function change(directory: string, sql: string): void {
  using db = new DatabaseSync(join(directory, 'journal.sqlite'))
  db.exec(sql)
}

function copyOf(directory: string, name: string): string {
  cpSync(directory, join(folder, name), { recursive: true })
  return join(folder, name)
}

test.each([
  ['an event', "UPDATE events SET body = body || ' ' WHERE seq = 255", 'record 255 was changed'],
  ['a command', "UPDATE commands SET body = replace(body, '0.001', '0.002') WHERE seq > 200", 'was changed'],
  [
    'a decision',
    "UPDATE decisions SET body = replace(body, 'ensure', 'retire') WHERE seq > 200",
    'was changed',
  ],
  ['a missing record', 'DELETE FROM events WHERE seq = 244', 'record 244 is missing'],
  ['a missing command', 'DELETE FROM commands WHERE seq > 200', 'was changed after it was written'],
  ['a missing end', 'DELETE FROM events WHERE seq > 300', 'reached 350'],
  [
    'a missing end and a missing note of it',
    'DELETE FROM events WHERE seq > 300',
    'the commands continue to record',
  ],
])('%s in what must be done again is refused, and the place is named', (name, sql, seen) => {
  const directory = copyOf(dead, name)
  change(directory, sql)
  if (name.includes('note')) rmSync(join(directory, 'journal.end'))
  expect(() => open(directory)).toThrow(
    expect.objectContaining({ code: 'DATA_DAMAGED', seen: expect.stringContaining(seen) }),
  )
})

test.each([
  ['content', "UPDATE states SET state = replace(state, '60', '61') WHERE seq = 350"],
  ['engine', "UPDATE states SET engine = 'counting 2' WHERE seq = 350"],
  ['link', "UPDATE states SET chain = replace(chain, '0', '1') WHERE seq = 350"],
])('a stored state whose %s was changed is not used: an older state and more records are', (what, sql) => {
  const directory = copyOf(well, `changed-${what}`)
  change(directory, sql)
  const journal = open(directory)
  expect(journal.recovery).toEqual({ from: 150, redone: 200, recalled: null, spoiled: [350] })
  expect(JSON.stringify(journal.machine.state)).toBe(state)
  journal.close()
})

test('the history of a folder without a journal states the folder and what to do', () => {
  const empty = mkdtempSync(join(folder, 'empty-'))
  expect(() => new SqliteHistory(empty)).toThrow(
    expect.objectContaining({
      code: 'FILE_UNREADABLE',
      seen: `${join(empty, 'journal.sqlite')} (ENOENT)`,
      fix: expect.stringContaining('--state-dir'),
    }),
  )
})

test('an older copy in the place of the newest journal is refused', () => {
  const directory = copyOf(well, 'older')
  const kept = readFileSync(join(directory, 'journal.sqlite'))
  const journal = open(directory)
  live(journal, 10, chanceOf(seed))
  journal.close()
  writeFileSync(join(directory, 'journal.sqlite'), kept)
  expect(() => open(directory)).toThrow(
    expect.objectContaining({
      code: 'DATA_DAMAGED',
      seen: expect.stringContaining('350, but reached 360'),
    }),
  )
})

test('a history is not told from records that were changed or cut off, and the place is named', () => {
  const order = orders.at(-1) ?? ''
  expect(toldBy(dead, order)).toHaveLength(1)
  const changed = copyOf(dead, 'history-changed')
  change(changed, "UPDATE commands SET body = replace(body, '0.001', '0.002')")
  expect(() => toldBy(changed, order)).toThrow(
    expect.objectContaining({
      code: 'DATA_DAMAGED',
      seen: expect.stringMatching(/^record \d+ of .* was changed/),
    }),
  )
  const cut = copyOf(dead, 'history-cut')
  change(cut, 'DELETE FROM events WHERE seq = 350')
  expect(() => toldBy(cut, order)).toThrow(
    expect.objectContaining({ code: 'DATA_DAMAGED', seen: expect.stringContaining('with record 349') }),
  )
})

const damages = times(220, 2500, 40)

test(`${damages} journals that are cut or scrambled anywhere are read as they were, or refused: never as something else`, () => {
  const chance = chanceOf(seed)
  const told = orders.map((id) => toldBy(dead, id))
  const wrong: string[] = []
  let [read, refused] = [0, 0]
  for (let index = 0; index < damages; index++) {
    const directory = copyOf(chance.oneOf([dead, dead, well]), `damaged-${index}`)
    const where = scramble(directory, chance)
    const order = chance.below(orders.length)
    try {
      const seen = toldBy(directory, orders[order] ?? '')
      if (!isPartOf(seen, told[order] ?? [])) wrong.push(`history of ${where}`)
    } catch (error) {
      if (!isRefusal(error)) wrong.push(`history of ${where}: ${String(error)}`)
    }
    try {
      const journal = open(directory)
      if (JSON.stringify(journal.machine.state) !== state) wrong.push(`journal of ${where}`)
      journal.close()
      read += 1
    } catch (error) {
      if (!isRefusal(error)) wrong.push(`journal of ${where}: ${String(error)}`)
      refused += 1
    }
    rmSync(directory, { recursive: true })
  }
  expect(wrong).toEqual([])
  expect(read).toBeGreaterThan(damages / 20)
  expect(refused).toBeGreaterThan(damages / 5)
})

function toldBy(directory: string, order: string): SentRequest[] {
  using history = new SqliteHistory(directory)
  return history.sendings(order)
}

/** What a damaged index does not find is not told, or an older decision is; but all that is told is true. */
function isPartOf(seen: SentRequest[], told: SentRequest[]): boolean {
  return seen.every((sending, n) => {
    const { decided = null, answer = null, ...rest } = told[n] ?? {}
    const { decided: seenDecided, answer: seenAnswer, ...seenRest } = sending
    return (
      isDeepStrictEqual(seenRest, rest) &&
      (seenAnswer === null || isDeepStrictEqual(seenAnswer, answer)) &&
      (seenDecided === null ||
        seenDecided.seq < (decided?.seq ?? 0) ||
        isDeepStrictEqual(seenDecided, decided))
    )
  })
}

const isRefusal = (error: unknown) =>
  error instanceof BotError && /^DATA_(?:FOREIGN|DAMAGED|BROKEN)$/.test(error.code)

/** Fills a stretch of one of the files, or cuts it off, and says where. */
function scramble(directory: string, chance: ReturnType<typeof chanceOf>): string {
  const name = chance.oneOf(['journal.sqlite', 'journal.sqlite', 'journal.sqlite-wal'])
  const path = join(directory, name)
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    return `no ${name}`
  }
  const at = chance.below(bytes.length)
  const end = Math.min(bytes.length, at + chance.oneOf([1, 1, 16, 500, 5000]))
  if (chance.percent(40)) {
    writeFileSync(path, bytes.subarray(0, at))
    return `${name} cut at ${at}`
  }
  writeFileSync(path, bytes.fill(chance.below(256), at, end))
  return `${name} filled from ${at} to ${end}`
}

import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { BotError } from '#src/core/errors/bot-error.ts'
import { readError } from '#src/journal/sqlite/read-error.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-journal-errors-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'journal.sqlite')

/** What an act throws that meets this fault. */
function thrownBy(act: () => unknown): Error {
  try {
    act()
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('nothing was thrown')
}

function databaseOf(name: string, options = {}): DatabaseSync {
  const db = new DatabaseSync(join(folder, name), options)
  if (!('readOnly' in options)) db.exec('CREATE TABLE IF NOT EXISTS numbers (number INTEGER)')
  return db
}

const faults: Record<string, () => unknown> = {
  'a lock of another program': () => {
    using other = databaseOf('busy')
    other.exec('BEGIN EXCLUSIVE')
    using db = new DatabaseSync(join(folder, 'busy'))
    db.exec('SELECT * FROM numbers')
  },
  'a file of another format': () => {
    writeFileSync(join(folder, 'junk'), 'no database\n'.repeat(1000))
    using _ = databaseOf('junk')
  },
  'a database that may only be read': () => {
    databaseOf('read-only').close()
    using db = databaseOf('read-only', { readOnly: true })
    db.exec('INSERT INTO numbers VALUES (1)')
  },
  'a full disk': () => {
    using db = databaseOf('full')
    db.exec('PRAGMA max_page_count = 2')
    db.exec('CREATE TABLE more (text TEXT); CREATE TABLE even_more (text TEXT)')
  },
  'a missing folder': () => new DatabaseSync(join(folder, 'nowhere', 'journal.sqlite')),
  'a damaged page': () => {
    const db = databaseOf('damaged')
    db.exec('INSERT INTO numbers VALUES (1)')
    db.close()
    const bytes = readFileSync(join(folder, 'damaged'))
    writeFileSync(join(folder, 'damaged'), bytes.fill(0xff, 4096))
    using again = new DatabaseSync(join(folder, 'damaged'))
    again.exec('SELECT * FROM numbers')
  },
  'a number that is too large': () => {
    using db = databaseOf('large')
    db.exec('INSERT INTO numbers VALUES (9223372036854775807)')
    db.prepare('SELECT number FROM numbers').get()
  },
}

test.each([
  ['a lock of another program', 'DATA_BUSY', 'database is locked'],
  ['a file of another format', 'DATA_FOREIGN', 'file is not a database'],
  ['a database that may only be read', 'DATA_BROKEN', 'attempt to write a readonly database'],
  ['a full disk', 'DATA_BROKEN', 'database or disk is full'],
  ['a missing folder', 'DATA_BROKEN', 'unable to open database file'],
  ['a damaged page', 'DATA_DAMAGED', 'database disk image is malformed'],
  ['a number that is too large', 'DATA_DAMAGED', 'Value is too large to be represented'],
])('%s has the code %s, with the path and the message of SQLite', (fault, code, message) => {
  const cause = thrownBy(faults[fault]!)
  const error = readError(path, cause)
  expect(error).toBeInstanceOf(BotError)
  expect(error).toMatchObject({ code, seen: expect.stringContaining(`${path}: ${message}`), cause })
})

test('an error of the operating system names its file, or the journal if it has none', () => {
  const missing = join(folder, 'missing')
  const named = thrownBy(() => openSync(missing, 'r'))
  expect(readError(path, named)).toMatchObject({
    code: 'DATA_BROKEN',
    seen: `${missing} (ENOENT)`,
    cause: named,
  })
  const file = openSync(folder, 'r')
  const unnamed = thrownBy(() => readSync(file, Buffer.alloc(1)))
  closeSync(file)
  expect(readError(path, unnamed)).toMatchObject({ code: 'DATA_BROKEN', seen: `${path} (EISDIR)` })
})

test('an error of the program is returned as it is', () => {
  for (const error of [
    new BotError('DATA_MOVED', { seen: 'somewhere' }),
    new TypeError('a mistake'),
    Object.assign(new TypeError('a mistake'), { code: 'ERR_INVALID_ARG_TYPE' }),
    'a text',
  ])
    expect(readError(path, error)).toBe(error)
})

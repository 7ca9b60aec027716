import { DatabaseSync } from 'node:sqlite'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { migrate, migrations } from '#src/journal/sqlite/schema.ts'
import { open } from './counting-machine.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-journal-'))
afterAll(() => rmSync(folder, { recursive: true }))

const steps = [
  'CREATE TABLE fruit (name TEXT)',
  "INSERT INTO fruit VALUES ('apple'); ALTER TABLE fruit ADD COLUMN color TEXT",
  "UPDATE fruit SET color = 'red'",
]
const rowsOf = (db: DatabaseSync) => db.prepare('SELECT name, color FROM fruit').all()
const versionOf = (db: DatabaseSync) => db.prepare('PRAGMA user_version').get()?.['user_version']

test('tables are brought from any older version to the newest, each step once', () => {
  for (const from of [0, 1, 2, 3]) {
    using db = new DatabaseSync(':memory:')
    migrate(db, 'a file', steps.slice(0, from))
    migrate(db, 'a file', steps)
    migrate(db, 'a file', steps)
    expect({ from, version: versionOf(db), rows: rowsOf(db) }).toEqual({
      from,
      version: 3,
      rows: [{ name: 'apple', color: 'red' }],
    })
  }
})

test('a step that fails leaves everything as it was', () => {
  const path = join(folder, 'steps.sqlite')
  const first = new DatabaseSync(path)
  migrate(first, path, steps.slice(0, 1))
  expect(() => migrate(first, path, [...steps.slice(0, 2), 'UPDATE vegetables SET color = 1'])).toThrow(
    'vegetables',
  )
  first.close()
  using again = new DatabaseSync(path)
  expect(versionOf(again)).toBe(1)
  migrate(again, path, steps)
  expect(rowsOf(again)).toHaveLength(1)
})

test('tables of a newer program are refused and stay as they are', () => {
  const directory = join(folder, 'newer')
  open(directory).close()
  using db = new DatabaseSync(join(directory, 'journal.sqlite'))
  db.exec(`PRAGMA user_version = ${migrations.length + 1}`)
  expect(() => open(directory)).toThrow(
    expect.objectContaining({
      code: 'DATA_FOREIGN',
      seen: expect.stringMatching(/tables of version 2, .* up to 1$/),
    }),
  )
  expect(versionOf(db)).toBe(migrations.length + 1)
})

test('a file that is no journal, and a folder that is none, are refused in plain words', () => {
  const directory = join(folder, 'junk')
  open(directory).close()
  writeFileSync(
    join(directory, 'journal.sqlite'),
    'these are not the bytes you are looking for\n'.repeat(200),
  )
  expect(() => open(directory)).toThrow(expect.objectContaining({ code: 'DATA_FOREIGN' }))
  writeFileSync(join(folder, 'a-file'), '')
  expect(() => open(join(folder, 'a-file'))).toThrow(expect.objectContaining({ code: 'DATA_BROKEN' }))
})

test('a journal is readable by its owner alone', () => {
  open(join(folder, 'mine')).close()
  for (const name of ['', 'journal.sqlite', 'journal.pid']) {
    expect(statSync(join(folder, 'mine', name)).mode & 0o077).toBe(0)
  }
})

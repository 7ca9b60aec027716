import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { chanceOf } from '../fuzz/chance.ts'
import { seed } from '../properties/runs.ts'
import { live, open } from './counting-machine.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-moved-'))
afterAll(() => rmSync(folder, { recursive: true }))
let folders = 0

/** A journal that is open, with records in it. */
function opened() {
  const path = join(folder, `state-${(folders += 1)}`)
  const journal = open(path)
  live(journal, 100, chanceOf(seed))
  journal.commit()
  return { path, journal }
}

const everything = (path: string) => readdirSync(path).map((name) => join(path, name))

test.each([
  ['the journal is deleted', (path: string) => rmSync(join(path, 'journal.sqlite'))],
  ['its log is deleted', (path: string) => rmSync(join(path, 'journal.sqlite-wal'))],
  ['its lock is deleted', (path: string) => rmSync(join(path, 'journal.lock'))],
  ['all is deleted', (path: string) => everything(path).forEach((file) => rmSync(file))],
  [
    'another file takes its place',
    (path: string) => {
      writeFileSync(join(path, 'other'), '')
      renameSync(join(path, 'other'), join(path, 'journal.sqlite'))
    },
  ],
])('where %s, nothing leaves any more, and all records are saved', (_, remove) => {
  const { path, journal } = opened()
  remove(path)
  live(journal, 10, chanceOf(seed))
  expect(() => journal.commit()).toThrow(
    expect.objectContaining({
      code: 'DATA_MOVED',
      exitCode: 78,
      seen: expect.stringContaining(path),
      fix: expect.stringMatching(/open orders stay at the venue\. All records are in \S+: rename it to/),
    }),
  )
  const state = JSON.stringify(journal.machine.state)
  expect(() => live(journal, 1, chanceOf(seed))).toThrow(expect.objectContaining({ code: 'DATA_MOVED' }))
  journal.close()
  // What the error says: the copy takes the place of whatever is there.
  for (const name of ['journal.sqlite', 'journal.sqlite-wal', 'journal.sqlite-shm'])
    rmSync(join(path, name), { force: true })
  // A start that finds no journal does not begin anew.
  expect(() => open(path)).toThrow(expect.objectContaining({ code: 'DATA_DAMAGED' }))
  rmSync(join(path, 'journal.sqlite'))
  renameSync(join(path, 'journal.rescued.sqlite'), join(path, 'journal.sqlite'))
  const again = open(path)
  expect(JSON.stringify(again.machine.state)).toBe(state)
  again.close()
})

test('a folder that is moved away is noticed, and nothing is written where it was', () => {
  const { path, journal } = opened()
  renameSync(path, `${path}-elsewhere`)
  mkdirSync(path, { mode: 0o700 })
  live(journal, 10, chanceOf(seed))
  expect(() => journal.commit()).toThrow(
    expect.objectContaining({ code: 'DATA_MOVED', fix: expect.stringContaining('. Restore the folder') }),
  )
  const state = JSON.stringify(journal.machine.state)
  journal.close()
  expect(readdirSync(path)).toEqual([])
  const again = open(`${path}-elsewhere`)
  expect(JSON.stringify(again.machine.state)).toBe(state)
  again.close()
})

test.each([
  ['a link', symlinkSync],
  ['a second name', linkSync],
])('%s in the place of its small files is replaced, and the other file stays as it is', (_, put) => {
  const path = join(folder, `state-${(folders += 1)}`)
  mkdirSync(path, { mode: 0o700 })
  const other = join(path, 'other')
  writeFileSync(other, 'not ours')
  for (const name of ['journal.pid', 'journal.end']) put(other, join(path, name))
  const journal = open(path)
  live(journal, 10, chanceOf(seed))
  journal.commit()
  journal.close()
  expect(readFileSync(other, 'utf8')).toBe('not ours')
  expect(readFileSync(join(path, 'journal.pid'), 'utf8')).toBe(`${process.pid}\n`)
  expect(readFileSync(join(path, 'journal.end'), 'utf8')).toMatch(/^0{14}\d\d\n$/)
})

test('market events alone are enough to notice it', async () => {
  const { path, journal } = opened()
  rmSync(join(path, 'journal.sqlite'))
  live(journal, 2, chanceOf(seed))
  await expect.poll(() => existsSync(join(path, 'journal.rescued.sqlite'))).toBe(true)
  expect(() => live(journal, 1, chanceOf(seed))).toThrow(expect.objectContaining({ code: 'DATA_MOVED' }))
  journal.close()
})

import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from '#src/disk/folder.ts'
import { rungs, temporaryFolder } from '#test/cli/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const codeOf = (path: string) => {
  try {
    makeFolder(path)
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
  return 'made'
}

test('a folder is made with all above it, for its owner alone, and one that is there stays as it is', () => {
  const path = folder.file('a/b/c')
  makeFolder(path)
  for (const each of ['a', 'a/b', 'a/b/c']) expect(statSync(folder.file(each)).mode & 0o777).toBe(0o700)
  mkdirSync(folder.file('open'), { mode: 0o755 })
  writeFileSync(folder.file('open/file'), '')
  makeFolder(folder.file('open'))
  expect(statSync(folder.file('open')).mode & 0o777).toBe(0o755)
  expect(readdirSync(folder.file('open'))).toEqual(['file'])
  symlinkSync(folder.file('open'), folder.file('link'))
  makeFolder(folder.file('link/d'))
  expect(statSync(folder.file('open/d')).isDirectory()).toBe(true)
})

test('what cannot be a folder is refused in the words of the system', () => {
  writeFileSync(folder.file('taken'), '')
  symlinkSync(folder.file('nowhere'), folder.file('dangling'))
  expect(codeOf(folder.file('taken'))).toBe('EEXIST')
  expect(codeOf(folder.file('taken/below'))).toBe('EEXIST')
  expect(codeOf(folder.file('dangling'))).toBe('EEXIST')
})

// Where there is no /proc, these names are refused all the same: nobody but root may make one.
test.each([
  [
    'run',
    ['run', 'strategies/01-static-grid.yaml', '--state-dir', '/proc/nope'],
    /^FILE_NOT_WRITTEN: .*\/proc\/nope cannot be made/,
  ],
  [
    'run in /proc itself',
    ['run', 'strategies/01-static-grid.yaml', '--state-dir', '/proc/self/a/b'],
    /cannot be made/,
  ],
  ['exchange', ['exchange', '--port', '0', '--data', '/proc/nope'], /^FILE_NOT_WRITTEN: .*\/proc\/nope/],
])('a folder that takes no folders ends a start with one error: %s', async (_, words, complaint) => {
  const { code, stderr } = await rungs(words)
  expect(code).toBeGreaterThan(0)
  expect(stderr).toMatch(complaint)
})

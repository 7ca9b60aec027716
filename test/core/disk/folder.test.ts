import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'
import { makeFolder, sharedFolderProblem } from '#src/core/disk/folder.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'

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

test('a folder and its missing parents are made for their owner alone, and an existing folder is unchanged', () => {
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

test.each([
  ['run', ['run', 'strategies/01-static-grid.yaml', '--for', '1s', '--state-dir']],
  ['exchange', ['exchange', '--port', '0', '--data']],
])('%s refuses a folder in which other users may write, before it writes anything', async (name, words) => {
  for (const mode of [0o770, 0o707, 0o1777]) {
    const path = folder.file(`open-${mode}`)
    mkdirSync(path, { recursive: true })
    chmodSync(path, mode)
    // The launcher of a run makes folders, too.
    const type = name === 'run' && mode === 0o770 ? rungs : rungsHere
    const { code, stderr } = await type([...words, path])
    expect(code).toBe(78)
    expect(stderr).toMatch(
      new RegExp(`^FOLDER_EXPOSED: .*${path}: other users may write to it, mode 0${mode.toString(8)}\\n`),
    )
    expect(stderr).toContain('chmod 700')
    expect(readdirSync(path)).toEqual([])
  }
})

test('a folder of this user or of root is safe, and one of another user is not', () => {
  mkdirSync(folder.file('owned'), { mode: 0o755 })
  expect(sharedFolderProblem(folder.file('owned'))).toBeUndefined()
  expect(sharedFolderProblem('/')).toBeUndefined()
  const getuid = vi.spyOn(process, 'getuid').mockReturnValue(12_345)
  // Root can change every file anyway.
  expect(sharedFolderProblem('/')).toBeUndefined()
  const { uid } = statSync(folder.file('owned'))
  expect(sharedFolderProblem(folder.file('owned'))).toBe(uid === 0 ? undefined : `it belongs to user ${uid}`)
  getuid.mockRestore()
})

test('a path that cannot become a folder is refused with the message of the system', () => {
  writeFileSync(folder.file('taken'), '')
  symlinkSync(folder.file('nowhere'), folder.file('dangling'))
  expect(codeOf(folder.file('taken'))).toBe('EEXIST')
  expect(codeOf(folder.file('taken/below'))).toBe('EEXIST')
  expect(codeOf(folder.file('dangling'))).toBe('EEXIST')
})

// On systems without /proc these names are refused too: only root may create one.
test.each([
  [
    'run',
    ['run', 'strategies/01-static-grid.yaml', '--state-dir', '/proc/nope'],
    /^FILE_NOT_WRITTEN: .*\/proc\/nope cannot be created/,
  ],
  [
    'run in /proc itself',
    ['run', 'strategies/01-static-grid.yaml', '--state-dir', '/proc/self/a/b'],
    /cannot be created/,
  ],
  ['exchange', ['exchange', '--port', '0', '--data', '/proc/nope'], /^FILE_NOT_WRITTEN: .*\/proc\/nope/],
])(
  'a folder in which no folder can be made ends the start with one error: %s',
  async (name, words, complaint) => {
    const type = name === 'run' ? rungs : rungsHere
    const { code, stderr } = await type(words)
    expect(code).toBeGreaterThan(0)
    expect(stderr).toMatch(complaint)
  },
)

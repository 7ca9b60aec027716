import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ResultsFile } from '#src/research/sweep/results-file.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { won } from './outcomes.ts'

test('the next sweep reads known outcomes, and appends to them', () => {
  using folder = temporaryFolder()
  const path = folder.file('sweep.ndjson')
  const first = new ResultsFile(path)
  first.add('c', won('1.5'))
  first.add('a', { refused: 'too few levels' })
  const second = new ResultsFile(path)
  expect([...second.known]).toEqual([
    ['c', won('1.5')],
    ['a', { refused: 'too few levels' }],
  ])
  second.add('b', won('2'))
  expect(new ResultsFile(path).known.size).toBe(3)
})

test('an incomplete line is dropped, and the lines before it stay', () => {
  using folder = temporaryFolder()
  const path = folder.file('sweep.ndjson')
  const file = new ResultsFile(path)
  file.add('a', won('1'))
  const whole = readFileSync(path).length
  file.add('b', won('2'))
  const bytes = readFileSync(path)
  for (let length = whole; length < bytes.length; length += 37) {
    writeFileSync(path, bytes)
    truncateSync(path, length)
    const again = new ResultsFile(path)
    expect([...again.known.keys()]).toEqual(['a'])
    again.add('b', won('2'))
    expect(readFileSync(path)).toEqual(bytes)
  }
})

test('a file of an earlier version is refused and left unchanged', () => {
  using folder = temporaryFolder()
  const path = folder.file('sweep.ndjson')
  const before = '{"engine":"1","strategy":"a"}\n{"job":0,"outcome":{"refused":"too few levels"}}\n'
  writeFileSync(path, before)
  expect(() => new ResultsFile(path)).toThrow(
    expect.objectContaining({ code: 'FILE_INVALID', seen: expect.stringContaining('0.3.2 or earlier') }),
  )
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('a folder is refused with its name', () => {
  using folder = temporaryFolder()
  expect(() => new ResultsFile(folder.file('.'))).toThrow(
    expect.objectContaining({ code: 'FILE_UNREADABLE', seen: `${folder.file('.')} (EISDIR)` }),
  )
})

test('an invalid line is reported with its number', () => {
  using folder = temporaryFolder()
  const path = folder.file('sweep.ndjson')
  new ResultsFile(path).add('a', won('1'))
  appendFileSync(path, '{"key":"b","outcome":{"summary":{}}}\n')
  expect(() => new ResultsFile(path)).toThrow(
    expect.objectContaining({ seen: `${path}: line 3 is not a result of a sweep` }),
  )
})

test('a file that cannot be created is reported with its path', () => {
  using folder = temporaryFolder()
  const path = folder.file('nowhere/sweep.ndjson')
  expect(() => new ResultsFile(path)).toThrow(
    expect.objectContaining({ seen: `${path} (ENOENT)`, fix: 'Name another file with --out' }),
  )
})

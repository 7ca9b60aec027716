import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ResultsFile } from '#src/research/sweep/results-file.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { won } from './outcomes.ts'

const question = { strategy: 'a', market: 'b' }

test('the next sweep reads known outcomes, and appends to them', () => {
  using folder = temporaryFolder()
  const path = folder.file('sweep.ndjson')
  const first = new ResultsFile(path, question)
  first.add(3, won('1.5'))
  first.add(1, { refused: 'too few levels' })
  const second = new ResultsFile(path, question)
  expect([...second.known]).toEqual([
    [3, won('1.5')],
    [1, { refused: 'too few levels' }],
  ])
  second.add(2, won('2'))
  expect(new ResultsFile(path, question).known.size).toBe(3)
})

test('an incomplete line is dropped, and the lines before it stay', () => {
  using folder = temporaryFolder()
  const path = folder.file('sweep.ndjson')
  const file = new ResultsFile(path, question)
  file.add(0, won('1'))
  const whole = readFileSync(path).length
  file.add(1, won('2'))
  const bytes = readFileSync(path)
  for (let length = whole; length < bytes.length; length += 37) {
    writeFileSync(path, bytes)
    truncateSync(path, length)
    const again = new ResultsFile(path, question)
    expect([...again.known.keys()]).toEqual([0])
    again.add(1, won('2'))
    expect(readFileSync(path)).toEqual(bytes)
  }
})

test('results of other inputs are refused and left unchanged', () => {
  using folder = temporaryFolder()
  const path = folder.file('sweep.ndjson')
  new ResultsFile(path, question).add(0, won('1'))
  const before = readFileSync(path, 'utf8')
  expect(() => new ResultsFile(path, { ...question, strategy: 'other' })).toThrow(
    expect.objectContaining({ code: 'FILE_INVALID', seen: `${path} holds the results of another sweep` }),
  )
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('a folder is refused with its name', () => {
  using folder = temporaryFolder()
  expect(() => new ResultsFile(folder.file('.'), question)).toThrow(
    expect.objectContaining({ code: 'FILE_UNREADABLE', seen: `${folder.file('.')} (EISDIR)` }),
  )
})

test('an invalid line is reported with its number', () => {
  using folder = temporaryFolder()
  const path = folder.file('sweep.ndjson')
  new ResultsFile(path, question).add(0, won('1'))
  appendFileSync(path, '{"job":1,"outcome":{"summary":{}}}\n')
  expect(() => new ResultsFile(path, question)).toThrow(
    expect.objectContaining({ seen: `${path}: line 3 is not a result of a sweep` }),
  )
})

test('a file that cannot be created is reported with its path', () => {
  using folder = temporaryFolder()
  const path = folder.file('nowhere/sweep.ndjson')
  expect(() => new ResultsFile(path, question)).toThrow(
    expect.objectContaining({ seen: `${path} (ENOENT)`, fix: 'Name another file with --out' }),
  )
})

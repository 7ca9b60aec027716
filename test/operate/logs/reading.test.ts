import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LogReader } from '#src/operate/logs/log-reader.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { runs } from '#test/properties/runs.ts'

const nameOf = (number: number) => `rungs-2026-11-21-${String(number).padStart(4, '0')}.ndjson`
const textsOf = (reader: LogReader) =>
  reader.read().map(({ text, whole }) => (whole ? text : `${text} (torn)`))

test('a line is read once, when it is complete', () => {
  using folder = temporaryFolder()
  const reader = new LogReader(folder.path)
  expect(reader.read()).toEqual([])
  writeFileSync(folder.file(nameOf(0)), 'one\ntw')
  expect(reader.read()).toEqual([{ file: nameOf(0), number: 1, text: 'one', whole: true }])
  expect(reader.read()).toEqual([])
  appendFileSync(folder.file(nameOf(0)), 'o\nthré'.slice(0, -1))
  expect(textsOf(reader)).toEqual(['two'])
  // A character of two bytes that arrive separately.
  appendFileSync(folder.file(nameOf(0)), Buffer.from('é').subarray(0, 1))
  expect(textsOf(reader)).toEqual([])
  appendFileSync(folder.file(nameOf(0)), Buffer.from('é\nfour\n').subarray(1))
  expect(reader.read()).toEqual([
    { file: nameOf(0), number: 3, text: 'thré', whole: true },
    { file: nameOf(0), number: 4, text: 'four', whole: true },
  ])
  reader.close()
})

test('the next file follows the end of the one before, and an incomplete line is marked', () => {
  using folder = temporaryFolder()
  writeFileSync(folder.file(nameOf(0)), 'one\ntw')
  const reader = new LogReader(folder.path)
  expect(textsOf(reader)).toEqual(['one'])
  appendFileSync(folder.file(nameOf(0)), 'o\nthr')
  writeFileSync(folder.file(nameOf(1)), 'four\n')
  expect(textsOf(reader)).toEqual(['two'])
  expect(textsOf(reader)).toEqual(['thr (torn)'])
  expect(textsOf(reader)).toEqual(['four'])
  expect(textsOf(reader)).toEqual([])
  // Other files are ignored.
  writeFileSync(folder.file('rungs-2026-11-21-0002.ndjson.bak'), 'five\n')
  mkdirSync(folder.file('rungs-older'))
  expect(textsOf(reader)).toEqual([])
  reader.close()
})

test('files may be deleted or truncated while they are read', () => {
  using folder = temporaryFolder()
  writeFileSync(folder.file(nameOf(0)), 'one\ntw')
  const reader = new LogReader(folder.path)
  expect(textsOf(reader)).toEqual(['one'])
  truncateSync(folder.file(nameOf(0)))
  appendFileSync(folder.file(nameOf(0)), 'a\n')
  expect(textsOf(reader)).toEqual(['a'])
  rmSync(folder.file(nameOf(0)))
  expect(textsOf(reader)).toEqual([])
  writeFileSync(folder.file(nameOf(7)), 'b\n')
  expect(textsOf(reader)).toEqual(['b'])
  reader.close()
})

test('an endless line does not fill the memory, and the next line is read', () => {
  using folder = temporaryFolder()
  writeFileSync(folder.file(nameOf(0)), `${'x'.repeat(5_000_000)}\nnext\n`)
  const reader = new LogReader(folder.path)
  const [long, next] = reader.read()
  expect([long?.text.length, next?.text]).toEqual([expect.any(Number), 'next'])
  expect(long?.text.length).toBeLessThan(1_500_000)
  reader.close()
})

const pieces = fc.array(fc.tuple(fc.string({ maxLength: 9 }), fc.constantFrom('write', 'read', 'rotate')), {
  maxLength: 60,
})

test('every line comes once and in order, with any interleaving of writing, reading and rotation', () => {
  fc.assert(
    fc.property(pieces, (steps) => {
      using folder = temporaryFolder()
      const reader = new LogReader(folder.path)
      const read: string[] = []
      let [file, written] = [0, '']
      for (const [text, step] of steps) {
        // The writer changes files only between lines.
        if (step === 'rotate' && (written === '' || written.endsWith('\n'))) file += 1
        const line = step === 'rotate' ? '' : text.replaceAll(/\n/g, ' ') + (step === 'write' ? '\n' : '')
        appendFileSync(folder.file(nameOf(file)), line)
        written += line
        if (step === 'read') read.push(...textsOf(reader))
      }
      for (let lines = textsOf(reader); lines.length > 0; lines = textsOf(reader)) read.push(...lines)
      expect([...read, ...reader.unfinishedLine().map(({ text }) => text)]).toEqual(
        Buffer.from(written)
          .toString()
          .split('\n')
          .filter((line, index, all) => index < all.length - 1 || line !== ''),
      )
      reader.close()
    }),
    runs(100, 3000),
  )
})

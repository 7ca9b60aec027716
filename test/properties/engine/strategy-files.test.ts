import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readStrategy } from '#src/strategy/file/read-strategy.ts'
import { strategyFiles } from '#test/strategy/strategy-files.ts'
import { runs } from '#test/properties/runs.ts'

/** Any bytes give a strategy, or problems with a place in the file each; never an exception. */
function holds(bytes: Uint8Array): void {
  const read = readStrategy(bytes)
  if (!Array.isArray(read)) return
  const lines = new TextDecoder().decode(bytes).split('\n').length
  expect(read.length).toBeGreaterThan(0)
  for (const { line, column, message } of read) {
    expect(line).toBeGreaterThanOrEqual(1)
    expect(line).toBeLessThanOrEqual(lines)
    expect(column).toBeGreaterThanOrEqual(1)
    expect(message).not.toBe('')
  }
}

const file = fc.constantFrom(...strategyFiles.map(({ text }) => new TextEncoder().encode(text)))
/** Texts with a meaning in YAML, in expressions, or in neither. */
const words = ': - { } [ ] " # &a *a !!x | > % , ( ) && px == .x 1e999 __proto__ null 💥'.split(' ')
const pieces = [...words, '\n', '  ', '\t', "'", '1 / ', '? :', '9'.repeat(40), '\0']
const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 6 }))

test('a strategy cut, patched or overwritten anywhere is read, or each mistake has a place', () => {
  fc.assert(
    fc.property(file, fc.nat(), fc.nat({ max: 40 }), piece, (bytes, seed, length, piece) => {
      const at = seed % bytes.length
      holds(Buffer.concat([bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at + length)]))
    }),
    runs(250, 3000),
  )
})

test('any value in place of another is read, or each mistake has a place', () => {
  fc.assert(
    fc.property(
      file,
      fc.nat(),
      fc.oneof(piece, fc.constantFrom('mid', '1', '5%', '{}', '[]', '{ a: b }')),
      (bytes, seed, piece) => {
        const lines = new TextDecoder().decode(bytes).split('\n')
        const index = seed % lines.length
        const line = lines[index] ?? ''
        lines[index] = line.replace(/: .*/, () => `: ${piece}`)
        holds(new TextEncoder().encode(lines.join('\n')))
      },
    ),
    runs(250, 3000),
  )
})

test('any bytes are refused with a place', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), holds), runs(300, 5000))
})

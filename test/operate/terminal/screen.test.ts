import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { onTerminal } from './on-terminal.ts'

const program = fileURLToPath(new URL('draw.ts', import.meta.url))
const draw = (columns: number, rows: number) => onTerminal([process.execPath, program], { columns, rows })

test('hostile text stays in its row, and no row is lost, at any size', async () => {
  await using terminal = draw(80, 24)
  for (const [columns, rows] of [
    [80, 24],
    [40, 15],
    [200, 60],
    [57, 9],
  ] as const) {
    terminal.resize(columns, rows)
    await terminal.shows(/^Rungs [^]*\nthe venue does not answer: a cable \\u00[^]*tab: next strategy.*$/)
    const seen = terminal.rows()
    expect(seen).toHaveLength(rows)
    expect(seen[0]).toContain('equity 100000.00')
    expect(seen.at(-1)).toMatch(/tab: next strategy/)
    expect(seen.filter((row) => /\[sgrid\]/.test(row))).toHaveLength(1)
  }
  expect(terminal.isAlternate()).toBe(true)
  terminal.press('c')
  await terminal.shows(/^before\nclosed$/m)
  expect(terminal.isAlternate()).toBe(false)
  // oxlint-disable-next-line no-control-regex -- the cursor is there again, and lines go on in the next row
  expect(terminal.written().slice(-200)).toMatch(/\u001b\[\?7h\u001b\[\?25h/)
  await terminal.ended
})

test.each([
  ['an exception', 'x', /before[^]*Error: as it was told/, 1],
  ['an end in the middle', 'e', /before/, 0],
])('the terminal is as it was after %s', async (_, press, shown, code) => {
  await using terminal = draw(80, 24)
  await terminal.shows(/^Rungs /)
  terminal.press(press)
  expect((await terminal.ended).exitCode).toBe(code)
  expect(terminal.isAlternate()).toBe(false)
  expect(terminal.rows().join('\n')).toMatch(shown)
  expect(terminal.written()).toMatch(/\?25h(?!.*\?25l)/s)
})

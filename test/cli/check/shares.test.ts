import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

async function checked(...changes: readonly (readonly [string, string])[]) {
  using folder = temporaryFolder()
  const path = folder.file('a.yaml')
  writeFileSync(path, gridWith(...changes))
  const { code, stdout, stderr } = await rungsHere(['check', path])
  return { code, said: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') }
}

test('check shows shares as money of the equity of the sample, and the leverage', async () => {
  const { code, said } = await checked(
    ['name: sgrid', 'name: sgrid\nleverage: 5'],
    ['max_notional: { total: 2200 }', 'max_notional: { total: 22% equity }\n  daily_loss: 3% equity'],
    ['max_loss: 350', 'max_loss: 4% equity'],
  )
  expect(code).toBe(0)
  expect(said).toContain('of total 2200 (22% of an equity of 10000)')
  expect(said).toContain('of 400 (4% of an equity of 10000)')
  expect(said).toContain('halt at 10% (220), of the 2200 of max_notional at an equity of 10000')
  expect(said).toContain('daily loss at most 300 (3% of an equity of 10000)')
  expect(said).toContain('leverage 5, of the whole account')
})

test('check refuses rungs beyond a share, and a leverage that the venue does not offer', async () => {
  const { code, said } = await checked([
    'max_notional: { total: 2200 }',
    'max_notional: { total: 15% equity }',
  ])
  expect(code).toBe(65)
  expect(said).toMatch(/the cost of all rungs is 20\d\d\.\d+, more than 1500/)
  const other = await checked(['name: sgrid', 'name: sgrid\nleverage: 4'])
  expect(other.said).toContain('must be one of 1, 2, 3, 5, 10, 20, 50, 100')
})

import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { isSlowRun } from '#test/properties/runs.ts'

const files = globSync('strategies/standard/*.yaml').toSorted()
const slow = test.skipIf(!isSlowRun)

/** An order book is no part of a backtest, and `check` says so. */
const bookless = 'strategies/standard/imbalance-skew.yaml'

test.each(files)('%s is short, valid, and passes its tests without another warning', async (file) => {
  const text = readFileSync(file, 'utf8')
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(45)
  expect(text.split('\n').filter((line) => line.length > 145)).toEqual([])
  const { code, stdout, stderr } = await rungsHere(['check', file])
  expect(code).toBe(0)
  if (file === bookless)
    expect(stderr).toMatch(/^1 warning\n\S+ the values of deep are unknown in a backtest/)
  else expect(stderr).toBe('')
  expect(stdout).toMatch(/is valid\.\n$/)
})

slow.each(files)('%s keeps its promises under faults and kills', async (file) => {
  const words = [
    'simulate',
    '--seed',
    '20261129',
    '--faults',
    '100',
    '--lives',
    '12',
    '--strategy',
    file,
    '--json',
  ]
  const { code, stdout } = await rungsHere(words)
  expect(code).toBe(0)
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ violations: 0 })
})

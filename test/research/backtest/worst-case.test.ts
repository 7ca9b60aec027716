import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

const market = 'config/markets/BTC_USDT.csv'

/** Both days in a slow run. */
const period = isSlowRun ? [] : ['--to', '2026-01-06']

/** Blocked orders in a backtest of the sample. */
async function blockedBy(path: string): Promise<{ ladder: string; reason: string; count: number }[]> {
  const { stdout } = await rungsHere(['backtest', path, '--market', market, ...period, '--json'])
  const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  return result.blocked
}

test('a grid that check accepts is never blocked by its own worst case, at any price', async () => {
  using folder = temporaryFolder()
  const path = folder.file('grid.yaml')
  // The exact worst case of the whole ladder.
  writeFileSync(path, gridWith(['max_loss: 350', 'max_loss: 343.3615']))
  expect(await rungsHere(['check', path])).toMatchObject({ code: 0, stderr: '' })
  expect(await blockedBy(path)).toEqual([])
  // With any less, check reports it before the bot does.
  writeFileSync(path, gridWith(['max_loss: 350', 'max_loss: 280']))
  const { code, stderr } = await rungsHere(['check', path])
  expect(code).toBe(0)
  expect(stderr).toContain('the worst case loses 343.3615, more than 280: entries beyond')
  expect(await blockedBy(path)).toMatchObject([
    { ladder: 'grid', reason: expect.stringMatching(/^worst_case max_loss 280/) },
  ])
})

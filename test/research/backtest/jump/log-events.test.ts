import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { seed, times } from '#test/properties/runs.ts'
import { randomInput } from './random/random-strategy.ts'
import { played } from './step-everywhere.ts'

const script = fileURLToPath(new URL('without-log.ts', import.meta.url))

test('log events steer nothing: an engine that drops all of them sends the same orders in a backtest', async () => {
  const last = seed + times(40, 400, 3) - 1
  const lines = execFileSync(process.execPath, [script, String(seed), String(last)], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const dropped = lines.trimEnd().split('\n')
  let orders = 0
  for (let each = seed; each <= last; each++) {
    const { sent } = await played(randomInput(each))
    orders += sent.length
    expect({ seed: each, sent: dropped[each - seed] }).toEqual({ seed: each, sent: JSON.stringify(sent) })
  }
  expect(orders).toBeGreaterThan(last - seed)
})

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'

/** Output that a page shows, with the command of the page. */
test('docs/optimization.md shows what its sweep prints', async () => {
  const page = readFileSync('docs/optimization.md', 'utf8')
  const [, command = ''] = /^npx rungs (sweep .*?) --report/m.exec(page) ?? []
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word)
  const [, shown = ''] = /```\n( +ladder\.steps.*?)```/s.exec(page) ?? []
  expect(shown.trim().split('\n')).toHaveLength(3)
  expect((await rungsHere(words)).stdout).toContain(shown)
})

test('docs/strategies.md counts the pauses that its backtest reports', async () => {
  const words = 'backtest docs/examples/drawdown.yaml --market config/markets/BTC_USDT.csv --to 2026-01-06'
  const { stdout } = await rungsHere(words.split(' '))
  expect(stdout.match(/paused from/g)).toHaveLength(1)
  expect(stdout).not.toContain('halted from')
  expect(readFileSync('docs/strategies.md', 'utf8')).toContain('It reports one pause')
})

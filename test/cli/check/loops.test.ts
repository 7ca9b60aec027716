import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loopedMarkets } from '#test/engine/support/looped-markets.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const file = 'strategies/standard/rotating-dips.yaml'

test('check prints each loop with its markets and the names that it writes', async () => {
  const { stdout } = await rungsHere(['check', file])
  expect(stdout).toContain(`
$m: 3 markets, at most 2 active, while range_$m > 0.002, the highest range_$m first
  name  market    feeds   ladders
  btc   BTC_PERP  px_btc  dip_btc
  eth   ETH_PERP  px_eth  dip_eth
  sol   SOL_PERP  px_sol  dip_sol
`)
})

test('the sums count only as many markets as can be active, and a group has its own', async () => {
  const { stdout } = await rungsHere(['check', file])
  const costs = [...stdout.matchAll(/^ {2}budget (\S+) quote, unused (\S+)/gm)].map(([, budget, unused]) => {
    return Number(budget) - Number(unused)
  })
  const [most = 0, second = 0] = costs.toSorted((a, b) => b - a)
  expect(costs).toHaveLength(3)
  expect(stdout).toMatch(new RegExp(String.raw`^notional +${(most + second).toFixed(2)} `, 'm'))
  const [btc = 0, eth = 0] = costs
  expect(stdout).toMatch(
    new RegExp(
      String.raw`^group large +${(btc + eth).toFixed(2)} +of 1600, for btc, eth, the entries beyond it wait$`,
      'm',
    ),
  )
})

test('check --json has the loops', async () => {
  const { stdout } = await rungsHere(['check', file, '--json'])
  expect(JSON.parse(stdout).loops).toEqual([
    {
      variable: 'm',
      markets: ['btc', 'eth', 'sol'].map((name) => {
        return { name, market: `${name.toUpperCase()}_PERP`, feeds: [`px_${name}`], ladders: [`dip_${name}`] }
      }),
    },
  ])
})

test('more active markets than the list has give a warning', async () => {
  using folder = temporaryFolder()
  const path = folder.file('many.yaml')
  writeFileSync(path, loopedMarkets('BTC_PERP, ETH_PERP', 3))
  const { code, stderr } = await rungsHere(['check', path])
  expect(code).toBe(0)
  expect(stderr).toContain('3 is more than the 2 of the list: all of them can be active')
})

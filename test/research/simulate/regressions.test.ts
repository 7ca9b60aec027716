import { expect, test } from 'vitest'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { worldSchema } from '#src/exchange/world-file.ts'
import { simulate } from '#src/research/simulate/run-simulation.ts'
import { simulatedStrategies } from '#src/research/simulate/simulated-strategies.ts'
import { isSlowRun } from '#test/properties/runs.ts'

const base = readYaml('config/exchange.yaml', worldSchema)
const strategies = simulatedStrategies()
/** `npm run programs` tries so many; CI and the slow run try all. */
const few = 1

/** Seeds of the simulation that have found a defect. */
const seeds = [
  [
    1,
    'nonce-window',
    '03-trailing-volatility-grid.yaml',
    'no call left after a clock that was an hour ahead, with nonces of a window',
  ],
  [64, 'window-ids-reusable', '08-hedged-ladders.yaml', 'the same, where client order ids can be used again'],
  [
    42,
    'nonce-window',
    '01-static-grid.yaml with all ladders',
    'after a slow answer about the time, a step of the clock was not seen, and each call was refused',
  ],
  [
    100385,
    'window-ids-reusable',
    '03-trailing-volatility-grid.yaml with all ladders',
    'a process that was frozen at its start took the time of the venue from an old answer, and ended',
  ],
  [
    100655,
    'nonce-window',
    '05-market-making.yaml with all ladders',
    'entries left the queue of the client long after their prices were stale',
  ],
  [69, 'window-ids-reusable', '05-market-making.yaml', 'a silent stream confirmed its last price'],
  [100037, 'usual', 'busy within limits', 'a leap of the venue time after a restart broke submit.rate'],
  [
    1000219,
    'rates-html',
    'busy within limits',
    'a request that waited in the queue of the client longer than the period broke submit.rate',
  ],
  [
    1002426,
    'late-history',
    '02-geometric-dip-ladder.yaml',
    'a clock an hour behind the venue let no nonce pass those of another program, and the start ended',
  ],
  [
    20262081,
    'slow-execution',
    '01-static-grid.yaml with all ladders',
    'requests to cancel without an answer were repeated so fast that the account was never read again',
  ],
  [1003517, 'ids-reusable', '06-mean-reversion.yaml', 'the same, before the venue had told its time'],
  [
    1004239,
    'freeze-hidden',
    '06-mean-reversion.yaml',
    'nonces of a clock that was an hour ahead did not pass those of another program',
  ],
  [
    100159,
    'stop-absent',
    '04-dca-take-profit.yaml with all ladders',
    'an answer that had lost its end was taken for the refusal of an order',
  ],
  [
    1001130,
    'status-422',
    'busy with stopOnFail',
    'a guess of the time that was 70 s ahead made own orders look like older ones, and their fills were lost',
  ],
  [
    1001625,
    'stop-full',
    'busy within limits',
    'the same after a step of the clock, and the orders stayed doubtful',
  ],
  [20262148, 'rates-html', '08-hedged-ladders.yaml', 'the same, with an order that stayed doubtful'],
  [
    1005054,
    'stop-full',
    '05-market-making.yaml',
    'orders were sent before the bot had the time of the venue, which its description had told, and stayed doubtful',
  ],
  [
    26767380,
    'stop-absent',
    'amended quotes',
    'an order behind the market had no answer, and its rung was placed at the refused price again, without a pause',
  ],
  [
    30234,
    'slow-execution',
    '01-static-grid.yaml',
    'after a leap to a clock that was an hour ahead, each call was refused for a minute, and orders stayed open',
    'closes all positions',
  ],
] as const

test.each(isSlowRun ? seeds : seeds.slice(0, few))('seed %i (%s, %s): %s', async (...row) => {
  const [number, world, name, , operator] = row
  const file = strategies.find(({ path }) => path === name)
  if (file === undefined) throw new Error(`there is no strategy ${name}`)
  const flattens = operator === 'closes all positions'
  expect((await simulate({ seed: number, world, file, base, flattens })).violations).toEqual([])
})

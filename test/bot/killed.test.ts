import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startExchange, temporaryFolder } from '../cli/process.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { seed, times } from '../properties/runs.ts'
import { disagreements, venueFileText } from './venue-records.ts'

const kills = times(4, 300)
const launcher = fileURLToPath(new URL('../../src/rungs.mjs', import.meta.url))
/** A grid, quotes that move all the time, an entry that averages down, and two ladders that hedge each other. */
const strategies = ['01-static-grid', '04-dca-take-profit', '05-market-making', '08-hedged-ladders'].map(
  (name) => fileURLToPath(new URL(`../../strategies/${name}.yaml`, import.meta.url)),
)

test(`killed ${kills} times at any moment, the bot has no order twice, none it does not know, and every fill`, async () => {
  using folder = temporaryFolder()
  const world = [
    '--profile',
    'full',
    '--market',
    'seeded',
    '--seed',
    String(seed),
    '--data',
    folder.file('world'),
  ]
  const fast = await startExchange([...world, '--speed', '60'])
  const venueFile = folder.file('venue.yaml')
  writeFileSync(venueFile, venueFileText(fast.url))
  const stateDir = folder.file('state')
  const words = ['run', ...strategies, '--venue', venueFile, '--state-dir', stateDir]

  const chance = chanceOf(seed)
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, [launcher, ...words, '--json', '--speed', '60'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [gone, spoke] = [once(child, 'exit'), once(child.stdout, 'data')]
    // From its very first moments on, and mostly while it trades.
    if (!chance.percent(10)) await Promise.race([spoke, gone])
    child.stdout.resume()
    await sleep(chance.below(2500))
    expect(child.exitCode).toBe(null)
    child.kill('SIGKILL')
    await gone
  }

  await fast.end()
  await using slow = await startExchange([...world, '--port', new URL(fast.url).port])
  expect(await disagreements(slow.url, { words, stateDir })).toEqual([])
}, 3_600_000)

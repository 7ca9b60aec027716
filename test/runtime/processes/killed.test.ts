import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { lastingExchange, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { acceptedIn, isType, startBot } from '#test/runtime/support/bot-process.ts'
import { disagreements, venueFileText } from '#test/runtime/support/venue-records.ts'
import { realTime } from '#test/support/real-time.ts'

const kills = times(4, 20, 1)
/** A grid, quotes that move all the time, an entry that averages down, and two ladders that hedge each other. */
const strategies = ['01-static-grid', '04-dca-take-profit', '05-market-making', '08-hedged-ladders'].map(
  (name) => fileURLToPath(new URL(`../../../strategies/${name}.yaml`, import.meta.url)),
)

test(`after ${kills} kills at any moment, no order is doubled or unknown, and no fill is missing`, async () => {
  using folder = temporaryFolder()
  const world = await lastingExchange(folder.file('world'), seed)
  const fast = await startExchange([...world, '--speed', '60'])
  const venueFile = folder.file('venue.yaml')
  writeFileSync(venueFile, venueFileText(fast.url))
  const stateDir = folder.file('state')
  const words = [...strategies, '--venue', venueFile, '--state-dir', stateDir]

  const chance = chanceOf(seed)
  let accepted = 0
  for (let kill = 0; kill < kills; kill++) {
    await using bot = startBot([...words, '--speed', '60'])
    // From its very first moments on, each second time while it trades, and in the end with orders of several ladders.
    if (kill === kills - 1) await bot.said(() => accepted + acceptedIn(bot.lines).length > 20)
    else if (kill % 2 === 1) await bot.said(isType('bulk-sent'))
    else if (!chance.percent(20)) await bot.said(() => true)
    await realTime(chance.below(2500))
    bot.kill('SIGKILL')
    expect(await bot.ended, bot.stderr()).toMatchObject({ signal: 'SIGKILL' })
    accepted += acceptedIn(bot.lines).length
  }

  await fast.end()
  await using slow = await startExchange(world)
  expect(await disagreements(slow.url, { words, stateDir })).toEqual([])
}, 3_600_000)

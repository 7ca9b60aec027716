import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Exchange } from '#src/exchange/exchange.ts'
import { imbalances } from '#src/exchange/ledger/ledger.ts'
import { Store } from '#src/exchange/store/exchange-store.ts'
import { beginsAt, paperWorld } from '#test/exchange/exchange-fixture.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { lastingExchange, startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { seed, times } from '#test/properties/runs.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { disagreements, venueFileText } from '#test/runtime/support/venue-records.ts'

const lines = times(400, 6000, 60)
const strategies = readdirSync('strategies')
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join('strategies', name))

/** The assets of which the world on disk holds more or less than it began with. */
function imbalancesIn(folder: string) {
  const market = { seeded: true, recorded: undefined }
  const unread = { world: paperWorld, seed: 'unread', at: beginsAt, market }
  const store = Store.open(folder, unread, { world: false, market: false })
  const { world, seed, at } = store.beginning
  const { state } = store.recover(
    (stored) =>
      new Exchange({ world, seed, begin: stored ?? at, sources: { seeded: true }, profile: 'full' }),
  )
  store.close()
  return imbalances(state.ledger)
}

test(`all strategies at speed 60 until ${lines} events: no error, and bot and exchange agree`, async () => {
  using folder = temporaryFolder()
  const [data, stateDir] = [folder.file('world'), folder.file('state')]
  const world = await lastingExchange(data, seed)
  await using fast = await startExchange([...world, '--speed', '60'])
  const venueFile = folder.file('venue.yaml')
  writeFileSync(venueFile, venueFileText(fast.url))
  expect(strategies).toHaveLength(9)
  const words = [...strategies, '--venue', venueFile, '--state-dir', stateDir]
  {
    await using bot = startBot([...words, '--speed', '60'])
    await bot.said(isType('fill'))
    await expect.poll(() => bot.lines.length).toBeGreaterThanOrEqual(lines)
    bot.kill('SIGTERM')
    expect({ code: (await bot.ended).code, stderr: bot.stderr() }).toEqual({ code: 0, stderr: '' })
  }
  expect(await fast.end()).toMatchObject({ code: 0 })

  await using slow = await startExchange(world)
  expect(await disagreements(slow.url, { words, stateDir })).toEqual([])
  expect(await slow.end()).toMatchObject({ code: 0 })

  const errors = await rungsHere(['logs', '--state-dir', stateDir, '--level', 'error', '--json'])
  expect(errors).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(imbalancesIn(data)).toEqual(new Map())
}, 3_600_000)

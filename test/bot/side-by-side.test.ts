import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createExchange } from '#src/exchange/exchange.ts'
import { imbalances } from '#src/exchange/ledger.ts'
import { Store } from '#src/exchange/store.ts'
import { beginsAt, paperWorld } from '#test/exchange/venue-in-hand.ts'
import { rungs, startExchange, temporaryFolder } from '../cli/process.ts'
import { seed, times } from '../properties/runs.ts'
import { disagreements, venueFileText } from './venue-records.ts'

const seconds = times(6, 600)
const strategies = readdirSync('strategies')
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join('strategies', name))

/** The assets of which the world on disk holds more or less than it began with. */
function imbalancesIn(folder: string) {
  const market = { seeded: true, recorded: undefined }
  const unread = { world: paperWorld, seed: 'unread', at: beginsAt, market }
  const store = Store.open(folder, unread, { world: false, market: false })
  const { world, seed, at } = store.beginning
  const { state } = store.recover((stored) =>
    createExchange({ world, seed, begin: stored ?? at, sources: { seeded: true }, profile: 'full' }),
  )
  store.close(state)
  return imbalances(state.ledger)
}

test(`the eight strategies side by side at 60 times the speed, for ${seconds} s: no error, and both sides agree`, async () => {
  using folder = temporaryFolder()
  const [data, stateDir] = [folder.file('world'), folder.file('state')]
  const world = ['--profile', 'full', '--market', 'seeded', '--seed', String(seed), '--data', data]
  await using fast = await startExchange([...world, '--speed', '60'])
  const venueFile = folder.file('venue.yaml')
  writeFileSync(venueFile, venueFileText(fast.url))
  expect(strategies).toHaveLength(8)
  const words = ['run', ...strategies, '--venue', venueFile, '--state-dir', stateDir]
  const lived = await rungs([...words, '--speed', '60', '--for', `${seconds}s`])
  expect({ code: lived.code, stderr: lived.stderr }).toEqual({ code: 0, stderr: '' })
  expect(await fast.end()).toMatchObject({ code: 0 })

  await using slow = await startExchange([...world, '--port', new URL(fast.url).port])
  expect(await disagreements(slow.url, { words, stateDir })).toEqual([])
  expect(await slow.end()).toMatchObject({ code: 0 })

  const errors = await rungs(['logs', '--state-dir', stateDir, '--level', 'error', '--json'])
  expect(errors).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(imbalancesIn(data)).toEqual(new Map())
}, 3_600_000)

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { afterAll, expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { copyOf, partsOf, restOf, stateOf } from '#src/exchange/store/snapshot.ts'
import { Store } from '#src/exchange/store/exchange-store.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { beginsAt, signedCall, worldWith } from '#test/exchange/exchange-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-snapshot-'))
afterAll(() => rmSync(folder, { recursive: true }))

const world = worldWith({ rateLimits: 'off' })
const fresh = { world, seed: 'a seed', at: beginsAt, market: { seeded: false, recorded: undefined } }

function open(directory: string): { store: Store; exchange: Exchange } {
  const store = Store.open(directory, fresh, { world: false, market: false })
  let recovering = true
  const exchange = store.recover(
    (state) =>
      new Exchange({
        world,
        seed: fresh.seed,
        begin: state ?? beginsAt,
        record: (entry) => {
          if (!recovering) store.append(entry)
        },
      }),
  )
  recovering = false
  return { store, exchange }
}

let nonce = 0

/** Orders that rest and end, so that every column grows. */
function bulk(exchange: Exchange): void {
  nonce += 1
  const at = beginsAt + nonce
  const orders = Array.from({ length: 2 }, (_, index) => ({
    market: 'SOL_PERP',
    side: 'buy',
    amount: '0.1',
    price: String(90 + ((index + nonce) % 1000) / 100),
    client_order_id: `bulk.${nonce}.${index}`,
    ioc: nonce % 6 > 0,
  }))
  expect(
    exchange.handle(signedCall('paper', contract.collateralBulk, { orders }, String(at)), at).status,
  ).toBe(200)
}

/** Copies the files while the store is open, like after a crash. */
function leftBy(directory: string, name: string): string {
  const left = join(folder, name)
  mkdirSync(left)
  for (const file of ['exchange.sqlite', 'exchange.sqlite-wal'])
    copyFileSync(join(directory, file), join(left, file))
  return left
}

function tablesIn(directory: string) {
  const db = new DatabaseSync(join(directory, 'exchange.sqlite'))
  const number = (query: string) => Number(Object.values(db.prepare(query).get() ?? {})[0])
  const found = {
    entries: number('SELECT count(*) FROM entries'),
    snapshots: number('SELECT count(*) FROM snapshot'),
    parts: number('SELECT count(*) FROM snapshot_parts'),
    largest: number('SELECT max(length(part)) FROM snapshot_parts'),
    rest: number('SELECT max(length(state)) FROM snapshot'),
  }
  db.close()
  return found
}

test('a snapshot is written in small parts during changes, and a crash after any part loses nothing', async () => {
  const directory = join(folder, 'parts')
  const { store, exchange } = open(directory)
  // A few changes less than a snapshot needs.
  while (nonce < 9990) bulk(exchange)
  await store.committed()
  const chance = chanceOf(seed)
  const commits = 80
  const crashes = new Set(Array.from({ length: times(3, 30, 1) }, () => chance.below(commits)))
  for (let commit = 0; commit < commits; commit++) {
    bulk(exchange)
    await store.committed()
    if (!crashes.has(commit)) continue
    const left = leftBy(directory, `parts-${commit}`)
    const before = canonical(exchange.state)
    const again = open(left)
    expect(canonical(again.exchange.state)).toBe(before)
    // The restored store continues the snapshot.
    again.store.close()
    const third = open(left)
    expect(canonical(third.exchange.state)).toBe(before)
    third.store.close()
  }
  // The rest is written even without another change.
  for (let turns = 0; turns < 500; turns++) await turn()
  const { entries, snapshots, parts, largest, rest } = tablesIn(leftBy(directory, 'finished'))
  expect(snapshots).toBe(1)
  expect(entries).toBeLessThan(1000)
  expect(parts).toBeGreaterThan(20)
  expect(largest).toBeLessThan(256 * 1024)
  expect(rest).toBeLessThan(256 * 1024)
  store.close()
})

test('a snapshot in one piece, in the format of the version before, is read', () => {
  const directory = join(folder, 'whole')
  const { store, exchange } = open(directory)
  bulk(exchange)
  store.close()
  const db = new DatabaseSync(join(directory, 'exchange.sqlite'))
  expect(db.prepare('SELECT count(*) AS parts FROM snapshot_parts').get()).toEqual({ parts: 0 })
  db.exec('DROP TABLE snapshot_parts; PRAGMA user_version = 11')
  db.close()
  const again = open(directory)
  expect(canonical(again.exchange.state)).toBe(canonical(exchange.state))
  again.store.close()
})

test('a copy does not contain changes during its serialization', () => {
  const exchange = new Exchange({ world, seed: 'a seed', begin: beginsAt })
  for (let count = 0; count < 3000; count++) bulk(exchange)
  const before = canonical(exchange.state)
  const copy = copyOf(exchange.state)
  const parts: Uint8Array[] = []
  for (const part of partsOf(copy)) {
    parts.push(part)
    bulk(exchange)
  }
  expect(parts.length).toBeGreaterThan(10)
  const restored = stateOf(restOf(copy), parts)
  expect(canonical(restored)).toBe(before)
  // Shared objects stay shared.
  const same: typeof restored = deserialize(serialize(restored))
  const { exposures, open: held } = same.accounts.get('paper')?.collateral ?? { exposures: [], open: [] }
  for (const exposure of held) expect(exposures).toContain(exposure)
})

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { BotError } from '#src/core/errors/bot-error.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { Store } from '#src/exchange/store/exchange-store.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { beginsAt, paperWorld, signedCall, worldWith } from '#test/exchange/exchange-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-store-'))
afterAll(() => rmSync(folder, { recursive: true }))

const market = { seeded: false, recorded: undefined }
const fresh = { world: paperWorld, seed: 'a seed', at: beginsAt, market }
const unnamed = { world: false, market: false }

function open(directory: string): { store: Store; exchange: Exchange } {
  const store = Store.open(directory, fresh, unnamed)
  const { world, seed, at } = store.beginning
  let recovering = true
  const record = (entry: Parameters<Store['append']>[0]) => {
    if (!recovering) store.append(entry)
  }
  const exchange = store.recover((state) => new Exchange({ world, seed, begin: state ?? at, record }))
  recovering = false
  return { store, exchange }
}

function trade(exchange: Exchange, from: number, count: number): void {
  for (let index = from; index < from + count; index++) {
    const orders = [
      {
        market: 'SOL_PERP',
        side: index % 3 === 0 ? 'sell' : 'buy',
        amount: '1',
        price: String(90 + (index % 20)),
      },
    ]
    const call = signedCall('paper', contract.collateralBulk, { orders }, String(beginsAt + index))
    expect(exchange.handle(call, beginsAt + index).status).toBe(200)
  }
}

test('committed entries exist after a close and after a crash', async () => {
  const directory = join(folder, 'again')
  const first = open(directory)
  trade(first.exchange, 1, 50)
  await first.store.committed()
  const state = canonical(first.exchange.state)
  // A copy of the open files is the state after a crash.
  const dead = join(folder, 'dead')
  mkdirSync(dead)
  for (const name of ['exchange.sqlite', 'exchange.sqlite-wal'])
    copyFileSync(join(directory, name), join(dead, name))
  first.store.close()
  for (const place of [directory, dead]) {
    const again = open(place)
    expect(canonical(again.exchange.state)).toBe(state)
    again.store.close()
  }
})

test('only entries after a snapshot are replayed on top of it', async () => {
  const directory = join(folder, 'snapshot')
  const first = open(directory)
  trade(first.exchange, 1, 30)
  first.store.close()
  const second = open(directory)
  trade(second.exchange, 31, 30)
  await second.store.committed()
  const state = canonical(second.exchange.state)
  second.store.close()
  const third = open(directory)
  expect(canonical(third.exchange.state)).toBe(state)
  third.store.close()
})

test('all entries of one turn of the event loop share a commit', async () => {
  const { store, exchange } = open(join(folder, 'shared'))
  trade(exchange, 1, 5)
  const one = store.committed()
  trade(exchange, 6, 5)
  const other = store.committed()
  await Promise.all([one, other])
  store.close()
  const again = open(join(folder, 'shared'))
  expect(again.exchange.state.nonces.get('paper-key')?.last).toBe(BigInt(beginsAt + 10))
  again.store.close()
})

test('the default world yields to the stored one; a named world must equal it', () => {
  const directory = join(folder, 'worlds')
  Store.open(directory, fresh, { world: true, market: true }).close()
  const other = { ...fresh, world: worldWith({ historyLag: 1000 }), seed: 'another seed' }
  const stored = Store.open(directory, other, unnamed)
  expect(stored.beginning).toEqual(fresh)
  stored.close()
  expect(() => Store.open(directory, other, { ...unnamed, world: true })).toThrow(
    expect.objectContaining({ code: 'DATA_FOREIGN' }),
  )
})

test('a second open is refused with DATA_BUSY', () => {
  const directory = join(folder, 'busy')
  const { store } = open(directory)
  expect(() => open(directory)).toThrow(expect.objectContaining({ code: 'DATA_BUSY' }))
  store.close()
  const again = open(directory)
  again.store.close()
})

test('truncated or corrupted files give the written data, nothing, or an error, and never other data', () => {
  const whole = join(folder, 'whole')
  const first = open(whole)
  trade(first.exchange, 1, 200)
  first.store.close()
  // An empty file counts as none: the world starts anew.
  const begun = new Exchange({ ...fresh, begin: beginsAt }).state
  const right = new Set([canonical(first.exchange.state), canonical(begun)])
  const bytes = readFileSync(join(whole, 'exchange.sqlite'))
  const chance = chanceOf(seed)
  const seen = { read: [] as string[], refused: 0 }
  for (let index = 0; index < times(120, 3000); index++) {
    const directory = join(folder, `damaged-${index}`)
    mkdirSync(directory)
    const path = join(directory, 'exchange.sqlite')
    const damaged = Buffer.from(bytes)
    const at = chance.below(bytes.length)
    const end = Math.min(bytes.length, at + chance.oneOf([1, 1, 16, 500, 5000]))
    if (chance.percent(50)) damaged.fill(chance.below(256), at, end)
    writeFileSync(path, damaged)
    if (chance.percent(40)) truncateSync(path, chance.below(statSync(path).size))
    try {
      const { store, exchange } = open(directory)
      seen.read.push(canonical(exchange.state))
      store.close()
    } catch (error) {
      expect(error).toBeInstanceOf(BotError)
      expect(error).toMatchObject({ code: expect.stringMatching(/^DATA_(?:FOREIGN|DAMAGED|BROKEN)$/) })
      seen.refused += 1
    }
    rmSync(directory, { recursive: true })
  }
  expect(seen.refused).toBeGreaterThan(20)
  expect(seen.read.filter((state) => !right.has(state))).toEqual([])
})

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { noSimulation, type Sources } from '#src/exchange/simulation/begin-simulation.ts'
import type { RecordedMarkets } from '#src/exchange/simulation/recorded/recorded-market.ts'
import { startExchange, type RunningExchange, type ServerOptions } from '#src/exchange/http/server.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { factsTextOf } from '#test/properties/recorded/recorded-facts.ts'
import { times } from '#test/properties/runs.ts'
import { startedProcess, startProcess, type RealExchange } from '#test/exchange/real-process.ts'
import { paperWorld, signedCall } from '#test/exchange/exchange-fixture.ts'
import { midnight, seeded } from './market-fixture.ts'
import { recordedFile, recordedOf, type RecordedPoint } from './recorded-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-flow-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function start(clock: ManualClock, options: Partial<ServerOptions> = {}): Promise<RunningExchange> {
  const running = await startExchange({
    world: paperWorld,
    clock,
    seed: 'a seed',
    sources: seeded,
    ...options,
  })
  await turns()
  return running
}

/** Lets all tasks that wait for the clock run. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Moves the clock by seconds, in steps that the running exchange sees. */
async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 4; step++) {
    clock.advance(250)
    await turns()
  }
}

test('markets move without requests, unless they are still', async () => {
  const clock = new ManualClock(midnight)
  const moving = await start(clock)
  const standing = await start(clock, { sources: noSimulation })
  await pass(clock, 10)
  expect(moving.exchange.state.at).toBe(midnight + 10_000)
  expect(moving.exchange.state.trades).toBeGreaterThan(20)
  expect(standing.exchange.state).toMatchObject({ at: midnight, flow: undefined, houses: [{}] })
  await Promise.all([moving.close(), standing.close()])
  const { at } = moving.exchange.state
  await pass(clock, 2)
  expect(moving.exchange.state.at).toBe(at)
})

test('at speed 60 a second counts as a minute, also for a delayed write', async () => {
  const clock = new ManualClock(midnight)
  const switches = { ...paperWorld.switches, executionDelay: 60_000 }
  const venue = await start(clock, { speed: 60, world: { ...paperWorld, switches } })
  await pass(clock, 5)
  expect(venue.exchange.state.at).toBe(midnight + 300_000)
  const { headers, body } = signedCall('paper', contract.createCode, { ticker: 'USDT', amount: '5' }, '1')
  const known = Object.entries(headers).map(([name, value]) => [name, value ?? ''])
  const written = fetch(venue.url + contract.createCode.path, {
    method: 'POST',
    headers: Object.fromEntries(known),
    body,
  })
  await expect.poll(() => venue.exchange.state.nonces.has('paper-key')).toBe(true)
  await pass(clock, 1)
  expect((await written).status).toBe(200)
  await venue.close()
})

test('time that ran ahead of the clock continues from there, at the speed of the next start', async () => {
  const clock = new ManualClock(midnight)
  const data = { dataDirectory: join(folder, 'ahead') }
  const fast = await start(clock, { ...data, speed: 100 })
  await pass(clock, 10)
  await fast.close()
  const { at } = fast.exchange.state
  expect(at).toBe(midnight + 1_000_000)
  const slow = await start(clock, data)
  await pass(clock, 10)
  expect(slow.exchange.state.at).toBe(at + 10_000)
  await slow.close()
})

test('markets pause while the exchange is off, and continue from the same state', async () => {
  const clock = new ManualClock(midnight)
  const data = { dataDirectory: join(folder, 'rest') }
  const first = await start(clock, data)
  await pass(clock, 20)
  await first.close()
  const before = first.exchange.state
  clock.advance(86_400_000)
  const second = await start(clock, data)
  const { state } = second.exchange
  expect(state).toMatchObject({ trades: before.trades, at: clock.now(), flow: { behindMs: 86_400_000 } })
  expect(state.markets.map(({ mark }) => mark)).toEqual(before.markets.map(({ mark }) => mark))
  await pass(clock, 5)
  expect(state.trades).toBeGreaterThan(before.trades)
  // A sleep of the machine has the same effect.
  clock.advance(3_600_000)
  await turns()
  expect(state.flow?.behindMs).toBe(86_400_000 + 3_600_000)
  await second.close()
})

test('events that clients may have seen are repeated after a power cut, although no command caused them', async () => {
  const clock = new ManualClock(midnight)
  const [dataDirectory, left] = [join(folder, 'cut'), join(folder, 'left')]
  const first = await start(clock, { dataDirectory, speed: 10 })
  await pass(clock, 20)
  const seen = { at: first.exchange.state.at, trades: first.exchange.state.trades }
  cpSync(dataDirectory, left, { recursive: true })
  const second = await start(clock, { dataDirectory: left, speed: 10 })
  const { state } = second.exchange
  expect(state.at).toBeGreaterThanOrEqual(seen.at)
  expect(state.trades).toBeGreaterThanOrEqual(seen.trades)
  first.exchange.advance(state.at)
  expect(state.trades).toBe(first.exchange.state.trades)
  expect(state.markets).toEqual(first.exchange.state.markets)
  await Promise.all([first.close(), second.close()])
})

function dealsOf({ exchange }: RunningExchange): number {
  return exchange.state.accounts.get('paper')?.deals.count ?? 0
}

test('fills in a recorded market are kept after a power cut, and filling continues', async () => {
  const clock = new ManualClock(midnight)
  const [dataDirectory, left] = [join(folder, 'recorded'), join(folder, 'recorded left')]
  const points = Array.from({ length: 400 }, (_, index): RecordedPoint => [
    250 * index,
    100 + ((index * 7) % 11) / 10,
    5,
  ])
  const files = [recordedFile('SOL_PERP', points, 50)]
  const about = { sources: { seeded: false, recorded: { files, fill: 'queue', moved: true } } } as const
  const first = await start(clock, { ...about, dataDirectory })
  const orders = Array.from({ length: 20 }, (_, index) => {
    const price = String(99.6 + index / 10)
    return { market: 'SOL_PERP', side: index < 10 ? 'buy' : 'sell', amount: '12', price, postOnly: true }
  })
  first.exchange.handle(signedCall('paper', contract.collateralBulk, { orders }, '1'), clock.now())
  await pass(clock, 20)
  const seen = dealsOf(first)
  expect(seen).toBeGreaterThan(5)
  cpSync(dataDirectory, left, { recursive: true })
  const second = await start(clock, { ...about, dataDirectory: left })
  expect(dealsOf(second)).toBeGreaterThanOrEqual(seen)
  await pass(clock, 60)
  expect(dealsOf(second)).toBeGreaterThan(seen)
  expect(factsTextOf(second.exchange)).toBe(factsTextOf(first.exchange))
  await Promise.all([first.close(), second.close()])
})

test('stored markets continue in the same mode, and only in that mode', async () => {
  const clock = new ManualClock(midnight)
  const data = { dataDirectory: join(folder, 'same') }
  const price = {
    market: recordedOf([
      [0, 70_000],
      [1000, 70_000],
    ]),
    markets: ['BTC_PERP'],
  }
  const recorded: RecordedMarkets = { files: [price], fill: 'through', moved: true }
  const sources: Sources = { seeded: false, recorded }
  await (await start(clock, { ...data, sources })).close()
  const others: Partial<ServerOptions>[] = [
    { sources: seeded },
    { sources: noSimulation },
    { sources: { ...sources, seeded: true } },
    { sources: { seeded: false, recorded: { ...recorded, fill: 'touch' } } },
    {
      sources: {
        seeded: false,
        recorded: { ...recorded, files: [{ ...price, market: { ...price.market, print: 'two' } }] },
      },
    },
  ]
  for (const other of others) {
    await expect(start(clock, { ...data, ...other })).rejects.toMatchObject({
      code: 'DATA_FOREIGN',
      seen: expect.stringContaining('was created with a file for BTC_PERP with --fill through'),
    })
  }
  // Without a flag, and without its market file.
  const unsaid = startExchange({ world: paperWorld, clock, ...data })
  await expect(unsaid).rejects.toMatchObject({ code: 'DATA_FOREIGN' })
  const again = await start(clock, { ...data, sources })
  await pass(clock, 2)
  expect(again.exchange.state.markets[3]?.mark).toBe(700_000)
  await again.close()
})

test('a start without a market flag continues with the stored mode', async () => {
  const clock = new ManualClock(midnight)
  const dataDirectory = join(folder, 'unsaid')
  await (await start(clock, { dataDirectory })).close()
  const again = await startExchange({ world: paperWorld, clock, dataDirectory })
  await turns()
  await pass(clock, 5)
  expect(again.exchange.state.trades).toBeGreaterThan(0)
  await again.close()
})

test('the clock can be turned by a week at most while markets move', async () => {
  const clock = new ManualClock(midnight)
  const venue = await start(clock, { adminPort: 0 })
  const turn = async (seconds: number) =>
    (await fetch(`${venue.adminUrl}/clock/turn/${seconds}`, { method: 'POST' })).status
  expect(await turn(604_801)).toBe(400)
  expect(venue.exchange.state.at).toBe(midnight)
  expect(await turn(60)).toBe(200)
  expect(venue.exchange.state).toMatchObject({ at: midnight + 60_000, flow: { behindMs: 0 } })
  await venue.close()
})

const kills = times(2, 20, 1)
const historyOf = z.record(z.string(), z.array(z.unknown())).transform((markets) => markets['SOL_PERP'] ?? [])

let nonce = Date.now()

async function ask(
  { url }: RealExchange,
  path: Endpoint['path'],
  parameters: Record<string, unknown>,
): Promise<unknown> {
  nonce += 1
  const { headers, body } = signedCall('paper', { path }, parameters, String(nonce))
  const known = Object.entries(headers).map(([name, value]) => [name, value ?? ''])
  const response = await fetch(url + path, { method: 'POST', headers: Object.fromEntries(known), body })
  return response.json()
}

test('fills that were reported to a client survive a kill at any time, to the digit', async () => {
  const flags = ['--data', join(folder, 'killed'), '--market', 'seeded', '--speed', '20', '--seed', 'a seed']
  let known: unknown[] = []
  for (let round = 0; round <= kills; round++) {
    const venue = await startedProcess(...flags)
    const history = async () => historyOf.parse(await ask(venue, contract.orderHistory.path, {})).toReversed()
    const found = await history()
    expect(found.slice(0, known.length)).toEqual(known)
    if (round < kills) {
      // Around a price that the market may have reached by now.
      const orders = Array.from({ length: 20 }, (_, index) => {
        const price = String(120 + 3 * index)
        return { market: 'SOL_PERP', side: index < 10 ? 'buy' : 'sell', amount: '0.2', price, postOnly: true }
      })
      await ask(venue, contract.collateralBulk.path, { orders })
      const across = { market: 'SOL_PERP', side: 'buy', amount: '0.2', price: '300' }
      await ask(venue, contract.collateralBulk.path, { orders: [across] })
      const until = Date.now() + 1500
      do known = await history()
      while (Date.now() < until)
      expect(known.length).toBeGreaterThan(found.length)
    }
    await venue.kill()
  }
})

test('a damaged file ends the start with one error', async () => {
  const ended = await startProcess('--market', join(folder, 'nowhere.csv'))
  expect(ended).toEqual({
    code: 64,
    said: expect.stringMatching(/^USAGE: .*nowhere\.csv is neither still nor seeded nor a file/),
  })
})

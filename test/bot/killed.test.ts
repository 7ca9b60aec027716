import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { engineVersion } from '#src/cli/engine-version.ts'
import { createClient, type Client } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { Nonces } from '#src/client/nonce.ts'
import { Secret } from '#src/contract/signing.ts'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state.ts'
import { History } from '#src/journal/history.ts'
import { parseAtoms, type Atoms } from '#src/money/atoms.ts'
import { systemClock } from '#src/time/clock.ts'
import { rungs, startExchange, temporaryFolder } from '../cli/process.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { seed, times } from '../properties/runs.ts'

const kills = times(4, 300)
const launcher = fileURLToPath(new URL('../../src/rungs.mjs', import.meta.url))
/** A grid, quotes that move all the time, an entry that averages down, and two ladders that hedge each other. */
const strategies = ['01-static-grid', '04-dca-take-profit', '05-market-making', '08-hedged-ladders'].map(
  (name) => fileURLToPath(new URL(`../../strategies/${name}.yaml`, import.meta.url)),
)

/** What the venue knows of one order of ours: the judge is its record, and no word of the bot. */
type Record = { id: string; from: number; to: number; filled: Atoms; money: Atoms; fee: Atoms; buys: boolean }

const sum = (values: readonly Atoms[]) => values.reduce((all, value) => all + value, 0n)

async function recordsOf(url: string): Promise<Map<string, Record>> {
  const client = createClient({
    transport: httpTransport(url),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
    },
  })
  try {
    return await readRecords(client)
  } finally {
    await client.close()
  }
}

async function readRecords(client: Client): Promise<Map<string, Record>> {
  const found = new Map<string, Record>()
  for (let offset = 0; ; offset += 100) {
    const history = await client.orderHistory({ offset, limit: 100 })
    if (history.kind !== 'answer') throw new Error(`no history: ${JSON.stringify(history)}`)
    const page = Object.values(history.value).flat()
    for (const order of page) {
      found.set(order.client_order_id, {
        id: order.client_order_id,
        from: order.ctime,
        to: order.ftime,
        filled: parseAtoms(order.deal_stock),
        money: parseAtoms(order.deal_money),
        fee: parseAtoms(order.deal_fee),
        buys: order.side === 'buy',
      })
    }
    if (page.length < 100) break
  }
  for (let offset = 0; ; offset += 100) {
    const open = await client.openOrders({ offset, limit: 100 })
    if (open.kind !== 'answer') throw new Error(`no open orders: ${JSON.stringify(open)}`)
    for (const order of open.value) {
      found.set(order.client_order_id, {
        id: order.client_order_id,
        from: order.timestamp,
        to: Infinity,
        filled: parseAtoms(order.deal_stock),
        money: parseAtoms(order.deal_money),
        fee: parseAtoms(order.deal_fee),
        buys: order.side === 'buy',
      })
    }
    if (open.value.length < 100) return found
  }
}

/** Two orders of one label that were alive at the same time: the one thing that must never be. */
function duplicates(records: Iterable<Record>): string[] {
  const byLabel = new Map<string, Record[]>()
  for (const record of records) {
    const label = record.id.slice(0, record.id.lastIndexOf('.'))
    byLabel.set(label, [...(byLabel.get(label) ?? []), record])
  }
  return [...byLabel.values()].flatMap((orders) => {
    const inTime = orders.toSorted((a, b) => generationOf(a.id) - generationOf(b.id))
    return inTime.flatMap((order, index) => {
      const before = inTime[index - 1]
      return before !== undefined && before.to > order.from ? [`${before.id} and ${order.id}`] : []
    })
  })
}

function generationOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1))
}

function stateIn(folder: string): State {
  using history = new History(folder)
  return history.machine(engineVersion, (state) => new Engine(state)).state
}

/** What is not as it should be, between what the venue has and what the bot believes. */
function differences(records: ReadonlyMap<string, Record>, state: State): unknown[] {
  const alive = Object.values(state.orders).filter(({ status }) => status !== 'ended')
  const unsettled = alive.filter(({ status }) => status !== 'resting')
  const resting = [...records.values()].filter(({ to }) => to === Infinity)
  const found: unknown[] = unsettled.map(({ id, status }) => `${id} is ${status}`)
  for (const { id } of resting)
    if (!alive.some((order) => order.id === id)) found.push(`${id} rests, and is not known`)
  for (const { id } of alive)
    if (!resting.some((order) => order.id === id)) found.push(`${id} does not rest any more`)
  for (const [name, { holdings }] of Object.entries(state.strategies)) {
    const own = [...records.values()].filter(({ id }) => id.startsWith(`${name}.`))
    const held = Object.values(holdings)
    const at = (side: string, position: Atoms, fees: Atoms) =>
      `${side}: ${name} holds ${position}, and has paid ${fees}`
    const venue = [
      sum(own.map(({ filled, buys }) => (buys ? filled : -filled))),
      sum(own.map(({ fee }) => fee)),
    ] as const
    const bot = [
      sum(held.map((each) => signed(each.position))),
      sum(held.map((each) => signed(each.fees))),
    ] as const
    if (venue[0] !== bot[0] || venue[1] !== bot[1]) found.push([at('venue', ...venue), at('bot', ...bot)])
  }
  return found
}

function signed(text: string): Atoms {
  return text.startsWith('-') ? -parseAtoms(text.slice(1)) : parseAtoms(text)
}

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
  const account =
    'key: paper-key\nsecret: paper-secret\nnonce: strict\nclientIds: forever\nsettle: 0s\nshortSide: true\n'
  writeFileSync(venueFile, `url: ${fast.url}\n${account}`)
  const words = ['run', ...strategies, '--venue', venueFile, '--state-dir', folder.file('state'), '--json']

  const chance = chanceOf(seed)
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, [launcher, ...words, '--speed', '60'], {
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

  // The market goes on while the two are compared, so that one look may come too early, but not one after the other.
  await fast.end()
  await using slow = await startExchange([...world, '--port', new URL(fast.url).port])
  let found: unknown[] = ['never looked']
  for (let look = 0; look < 5 && found.length > 0; look++) {
    const { code, stderr } = await rungs([...words, '--for', '5s'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const records = await recordsOf(slow.url)
    expect(records.size).toBeGreaterThan(20)
    expect(duplicates(records.values())).toEqual([])
    found = differences(records, stateIn(folder.file('state')))
  }
  expect(found).toEqual([])
}, 3_600_000)

import { readOrderId } from '#src/engine/orders/order-ids.ts'
import { expect } from 'vitest'
import { engineVersion } from '#src/engine/engine-version.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { nonceFilePath } from '#src/cli/files/state-folder.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { Engine } from '#src/engine/engine.ts'
import type { State } from '#src/engine/state/state.ts'
import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { parseAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { isType, runUntil } from './bot-process.ts'

/** What the venue knows of one order of ours: the judge is its record, and no word of the bot. */
type OrderRecord = {
  /** The client order id, which orders share that replace one another. */
  id: string
  venueId: string
  from: number
  to: number
  filled: Atoms
  money: Atoms
  fee: Atoms
  buys: boolean
}

const sum = (values: readonly Atoms[]) => values.reduce((all, value) => all + value, 0n)

/** With nonces above those of the bot of this folder, whose clock may have been wrong. */
async function recordsOf(url: string, stateDir: string): Promise<OrderRecord[]> {
  const client = createClient({
    transport: httpTransport(url),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({
        clock: systemClock,
        mode: 'strict',
        memory: nonceFile(nonceFilePath(stateDir, 'paper-key')),
      }),
    },
  })
  try {
    return [...(await readRecords(client)).values()]
  } finally {
    await client.close()
  }
}

/** By the id of the venue. */
async function readRecords(client: Client): Promise<Map<string, OrderRecord>> {
  const found = new Map<string, OrderRecord>()
  for (let offset = 0; ; offset += 100) {
    const history = await client.orderHistory({ offset, limit: 100 })
    if (history.kind !== 'answer') throw new Error(`no history: ${JSON.stringify(history)}`)
    const page = Object.values(history.value).flat()
    for (const order of page) {
      found.set(String(order.id), {
        id: order.client_order_id,
        venueId: String(order.id),
        from: order.ctime ?? Number.NaN,
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
      found.set(String(order.order_id), {
        id: order.client_order_id,
        venueId: String(order.order_id),
        from: order.timestamp ?? Number.NaN,
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
function duplicates(records: readonly OrderRecord[]): string[] {
  const byLabel = new Map<string, OrderRecord[]>()
  for (const record of records) {
    const label = record.id.slice(0, record.id.lastIndexOf('.'))
    byLabel.set(label, [...(byLabel.get(label) ?? []), record])
  }
  return [...byLabel.values()].flatMap((orders) => {
    const inTime = orders.toSorted((a, b) => generationOf(a.id) - generationOf(b.id) || a.from - b.from)
    return inTime.flatMap((order, index) => {
      const before = inTime[index - 1]
      return before !== undefined && before.to > order.from ? [`${before.id} and ${order.id}`] : []
    })
  })
}

function generationOf(id: string): number {
  return readOrderId(id)?.generation ?? NaN
}

function stateIn(folder: string): State {
  using history = new SqliteHistory(folder)
  return history.machine(engineVersion, (state) => new Engine(state)).state
}

/** What is not as it should be, between what the venue has and what the bot believes. */
function differences(records: readonly OrderRecord[], state: State): unknown[] {
  const alive = Object.values(state.orders).filter(({ status }) => status !== 'ended')
  const unsettled = alive.filter(({ status }) => status !== 'resting')
  const resting = records.filter(({ to }) => to === Infinity)
  const found: unknown[] = unsettled.map(({ id, status }) => `${id} is ${status}`)
  for (const { id, venueId } of resting)
    if (!alive.some((order) => order.venueId === venueId)) found.push(`${id} rests, and is not known`)
  for (const { id, venueId } of alive)
    if (!resting.some((order) => order.venueId === venueId)) found.push(`${id} does not rest any more`)
  for (const [name, { holdings }] of Object.entries(state.strategies)) {
    const own = records.filter(({ id }) => id.startsWith(`${name}.`))
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

/** What the venue and the state folder of an ended bot do not agree on, and orders of one label at the same time. */
export async function differencesNow(url: string, stateDir: string): Promise<unknown[]> {
  const records = await recordsOf(url, stateDir)
  return [...duplicates(records), ...differences(records, stateIn(stateDir))]
}

/** A venue file for the account of paper at an address. */
export function venueFileText(url: string): string {
  const account = ['key: paper-key', 'secret: paper-secret', 'nonce: strict', 'clientIds: forever']
  return [`url: ${url}`, ...account, 'settle: 0s', 'shortSide: true', ''].join('\n')
}

/**
 * What the venue and the bot do not agree on, once the bot has looked again. The market goes on while the two are compared,
 * at the pace of a clock, so that one look may come too early, but not one after the other.
 */
export async function disagreements(
  url: string,
  bot: { words: readonly string[]; stateDir: string },
): Promise<unknown[]> {
  let found: unknown[] = ['never looked']
  for (let look = 0; look < 5 && found.length > 0; look++) {
    // It reads the account when it starts, and again when it ends.
    const { code, stderr } = await runUntil(bot.words, isType('dashboard-ready'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const records = await recordsOf(url, bot.stateDir)
    expect(records.length).toBeGreaterThan(10)
    expect(duplicates(records)).toEqual([])
    found = differences(records, stateIn(bot.stateDir))
  }
  return found
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { serialise } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { WireRequest } from '#src/venues/whitebit/contract/wire/wire.ts'
import { parseAtoms, type Atoms } from '#src/core/money/atoms.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { startedProcess, startProcess, type RealExchange } from '#test/exchange/real-process.ts'
import { signedBytes } from '#test/exchange/exchange-fixture.ts'
import { realTime } from '#test/support/real-time.ts'

const kills = times(6, 60, 1)
const folder = mkdtempSync(join(tmpdir(), 'rungs-durability-'))
afterAll(() => rmSync(folder, { recursive: true }))

const packagedWorld = fileURLToPath(new URL('../../../../config/exchange.yaml', import.meta.url))

type Caller = 'paper' | 'rival'
type Sent = { by: Caller; request: WireRequest; id: string; holds: Atoms; paidOut: Atoms }
/** Acknowledged writes, and the write in flight at the kill, which may have been executed. */
type Journal = { acknowledged: Sent[]; open: Sent[] }

let nonce = Date.now()

/** `paper` counts up; `rival` uses unique times inside of the nonce window. */
function sign(by: Caller, path: string, parameters: Record<string, unknown>): WireRequest {
  nonce = Math.max(nonce + 1, Date.now())
  const envelope = {
    request: path,
    nonce: String(nonce),
    ...(by === 'rival' ? { nonceWindow: true as const } : {}),
  }
  return signedBytes(by, path, serialise(envelope, parameters))
}

/** A resting order, an order that ends at once, or a transfer code. */
function nextWrite(by: Caller, chance: Chance): Sent {
  const id = `${by}.${nonce}`
  if (chance.percent(30)) {
    const parameters = { ticker: 'USDT', amount: '0.01' }
    return {
      by,
      id: '',
      holds: 0n,
      paidOut: parseAtoms('0.01'),
      request: sign(by, contract.createCode.path, parameters),
    }
  }
  const ioc = chance.percent(50)
  const order = { market: 'SOL_PERP', side: 'buy', amount: '5', price: '1', client_order_id: id, ioc }
  const request = sign(by, contract.collateralBulk.path, { orders: [order] })
  return { by, id: ioc ? id : '', holds: ioc ? 0n : parseAtoms('5'), paidOut: 0n, request }
}

async function post(
  url: string,
  { path, headers, body }: WireRequest,
): Promise<{ status: number; body: unknown }> {
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent[name] = value
  const response = await fetch(url + path, { method: 'POST', headers: sent, body: Buffer.from(body) })
  return { status: response.status, body: await response.json() }
}

/** Sends writes until the process is killed. */
async function writeUntilDeath(url: string, by: Caller, chance: Chance, journal: Journal): Promise<void> {
  for (;;) {
    const sent = nextWrite(by, chance)
    try {
      const { status, body } = await post(url, sent.request)
      expect({ status, body: JSON.stringify(body) }).toEqual({
        status: 200,
        body: expect.not.stringContaining('"result":null'),
      })
      journal.acknowledged.push(sent)
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
      journal.open.push(sent)
      return
    }
  }
}

const freezeOf = z
  .object({ USDT: z.object({ freeze: z.string().transform(parseAtoms) }) })
  .transform(({ USDT }) => USDT.freeze)
const mainOf = z
  .object({ USDT: z.object({ main_balance: z.string().transform(parseAtoms) }) })
  .transform(({ USDT }) => USDT.main_balance)
const historyOf = z.record(z.string(), z.array(z.object({ client_order_id: z.string() })))

async function finishedIds(url: string, by: Caller): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let offset = 0; ; offset += 500) {
    const { body } = await post(url, sign(by, contract.orderHistory.path, { limit: 500, offset }))
    const orders = Object.values(historyOf.parse(body)).flat()
    for (const { client_order_id } of orders) ids.add(client_order_id)
    if (orders.length < 500) return ids
  }
}

/** All acknowledged writes exist, and nothing that was never sent. */
async function checkKept(url: string, by: Caller, journal: Journal): Promise<void> {
  const sum = (sent: Sent[], value: 'holds' | 'paidOut') =>
    sent.filter((one) => one.by === by).reduce((total, one) => total + one[value], 0n)
  const finished = await finishedIds(url, by)
  const missing = journal.acknowledged.filter(
    (one) => one.by === by && one.id !== '' && !finished.has(one.id),
  )
  expect(missing).toEqual([])
  const freeze = freezeOf.parse((await post(url, sign(by, contract.tradingBalance.path, {}))).body)
  const held = freeze - sum(journal.acknowledged, 'holds')
  expect(held).toBeGreaterThanOrEqual(0n)
  expect(held).toBeLessThanOrEqual(sum(journal.open, 'holds'))
  const main = mainOf.parse((await post(url, sign(by, contract.mainBalance.path, {}))).body)
  const paidOut = parseAtoms('100000') - main - sum(journal.acknowledged, 'paidOut')
  expect(paidOut).toBeGreaterThanOrEqual(0n)
  expect(paidOut).toBeLessThanOrEqual(sum(journal.open, 'paidOut'))
}

async function checkReplaysRefused(url: string, journal: Journal, begun: number): Promise<void> {
  for (const { by, request } of [
    ...journal.acknowledged.slice(begun),
    ...journal.acknowledged.slice(0, 20),
  ]) {
    const { status } = await post(url, request)
    // A nonce inside of the window is used, an older one is stale.
    expect(by === 'rival' ? [401, 429] : [429]).toContain(status)
  }
}

test(
  `after ${kills} kills at any moment, all acknowledged writes exist and no nonce is accepted twice`,
  async () => {
    const data = join(folder, 'killed')
    const chance = chanceOf(seed)
    const journal: Journal = { acknowledged: [], open: [] }
    let begun = 0
    for (let round = 0; round <= kills; round++) {
      const venue = await startedProcess('--data', data)
      try {
        await checkReplaysRefused(venue.url, journal, begun)
        for (const by of ['paper', 'rival'] as const) await checkKept(venue.url, by, journal)
        const ledger: unknown = await (await fetch(`${venue.adminUrl}/ledger`)).json()
        expect(ledger).toEqual({ imbalances: [] })
        if (round === kills) break
        begun = journal.acknowledged.length
        const writers = [1, 2, 3].map((lane) =>
          writeUntilDeath(venue.url, lane === 1 ? 'paper' : 'rival', chance, journal),
        )
        const enough = begun + 6 + chance.below(40)
        await expect.poll(() => journal.acknowledged.length).toBeGreaterThanOrEqual(enough)
        await realTime(chance.below(10))
        await venue.kill()
        await Promise.all(writers)
      } finally {
        await venue.kill()
      }
    }
    expect(journal.acknowledged.length).toBeGreaterThan(kills * 5)
  },
  // In the long run each process runs for some seconds.
  900_000 + kills * 3000,
)

let first: RealExchange
const shared = join(folder, 'shared')
beforeAll(async () => {
  first = await startedProcess('--data', shared)
})
afterAll(() => first.stop())

test('a second process on the same folder is refused with DATA_BUSY, and the first continues', async () => {
  const second = await startProcess('--data', shared)
  expect(second).toEqual({ code: 75, said: expect.stringMatching(/^DATA_BUSY: /) })
  expect((await post(first.url, sign('paper', contract.mainBalance.path, {}))).status).toBe(200)
})

test('it exits with 0 after a stop by the operator, and refuses to start with another world', async () => {
  const data = join(folder, 'worlds')
  const other = join(folder, 'other.yaml')
  writeFileSync(other, readFileSync(packagedWorld, 'utf8').replace('historyLag: 0s', 'historyLag: 1s'))
  const venue = await startedProcess('--data', data)
  expect(await venue.stop()).toBe(0)
  const foreign = await startProcess('--data', data, '--world', other)
  expect(foreign).toEqual({ code: 65, said: expect.stringMatching(/^DATA_FOREIGN: .*another world/) })
  const same = await startedProcess('--data', data, '--world', packagedWorld)
  expect(await same.stop()).toBe(0)
})

test('a folder with other data is refused in two lines', async () => {
  const data = mkdtempSync(join(folder, 'junk-'))
  writeFileSync(join(data, 'exchange.sqlite'), 'these are not the bytes you are looking for\n'.repeat(200))
  const refused = await startProcess('--data', data)
  expect(refused).toEqual({ code: 65, said: expect.stringMatching(/^DATA_FOREIGN: [^\n]*\n[^\n]*\n$/) })
})

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { depositCanceled } from '#src/venues/whitebit/contract/account/webhooks.ts'
import { startExchange, type RunningExchange } from '#src/exchange/http/server.ts'
import type { World } from '#src/exchange/world-file.ts'
import { parseAtoms } from '#src/core/money/atoms.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { startReceiver, type Receiver } from '#test/support/receiver.ts'
import { beginsAt, paperWorld } from '#test/exchange/exchange-fixture.ts'

const pendingId = '11111111-1111-4111-8111-000000000077'
const [laterId, lastId] = ['11111111-1111-4111-8111-000000000078', '11111111-1111-4111-8111-000000000079']
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** `rival` has pending deposits. Those of other accounts are not sent to this address. */
function worldTelling(url: string): World {
  const { rival } = paperWorld.accounts
  if (rival === undefined) throw new Error('the packaged world has rival')
  return {
    ...paperWorld,
    accounts: {
      ...paperWorld.accounts,
      rival: {
        ...rival,
        deposits: [pendingId, laterId, lastId].map((id) => ({
          id,
          ticker: 'USDT',
          network: 'TRC20',
          amount: parseAtoms('12.5'),
          status: 'pending',
        })),
        webhook: { url, key: 'hook-key', secret: 'hook-secret' },
      },
    },
  }
}

async function open(url: string): Promise<RunningExchange & { admin(path: string): Promise<number> }> {
  const world = worldTelling(url)
  const venue = await startExchange({ world, clock: new ManualClock(beginsAt), adminPort: 0, seed: 'a seed' })
  closing.push(() => venue.close())
  return {
    ...venue,
    admin: async (path) => (await fetch(`${venue.adminUrl}${path}`, { method: 'POST' })).status,
  }
}

async function receiver(): Promise<Receiver> {
  const made = await startReceiver()
  closing.push(() => made.close())
  return made
}

/** Deposits in the received notices, which are sent in the order of their due times. */
const heardOf = (hook: Receiver) =>
  hook.heard.map(({ body }) => depositCanceled.parse(JSON.parse(body)).params.uniqueId)

test('a canceled deposit is sent once, signed with the key pair of the webhook, if the receiver answers 200', async () => {
  const hook = await receiver()
  const venue = await open(hook.url)
  expect(await venue.admin(`/deposits/${pendingId}/cancel`)).toBe(200)
  await hook.until(1)
  const { headers, body } = hook.heard[0] ?? { headers: {}, body: '' }
  const { params } = depositCanceled.parse(JSON.parse(body))
  expect(params).toMatchObject({ uniqueId: pendingId, amount: '12.5', ticker: 'USDT', network: 'TRC20' })
  const payload = headers['x-txc-payload'] ?? ''
  expect(payload).toBe(Buffer.from(body).toString('base64'))
  expect(headers['x-txc-apikey']).toBe('hook-key')
  expect(new Secret('hook-secret').verifies(payload, headers['x-txc-signature'] ?? '')).toBe(true)
  await venue.admin('/clock/turn/6000')
  // A second notice of the first deposit would arrive before that of the next one.
  await venue.admin(`/deposits/${laterId}/cancel`)
  await hook.until(2)
  expect(heardOf(hook)).toEqual([pendingId, laterId])
})

test('after any answer but 200 the notice is repeated every ten minutes with a higher nonce, five times in total', async () => {
  const hook = await receiver()
  hook.answerWith(503)
  const venue = await open(hook.url)
  await venue.admin(`/deposits/${pendingId}/cancel`)
  await hook.until(1)
  const attempts = () => venue.exchange.state.outbox[0]?.attempts
  await expect.poll(attempts).toBe(1)
  await venue.admin('/clock/turn/599')
  // A due notice would arrive before that of the other deposit.
  hook.answerWith(200)
  await venue.admin(`/deposits/${laterId}/cancel`)
  await hook.until(2)
  expect(heardOf(hook)).toEqual([pendingId, laterId])
  await expect.poll(() => venue.exchange.state.outbox).toHaveLength(1)
  hook.answerWith(503)
  for (let tries = 2; tries <= 5; tries++) {
    await venue.admin('/clock/turn/600')
    await hook.until(tries + 1)
    // No further attempts after the last one.
    await expect.poll(attempts).toBe(tries < 5 ? tries : undefined)
  }
  await venue.admin('/clock/turn/6000')
  await venue.admin(`/deposits/${lastId}/cancel`)
  await hook.until(7)
  const all = hook.heard.map(({ body }) => depositCanceled.parse(JSON.parse(body)))
  const notices = all.filter(({ params }) => params.uniqueId === pendingId)
  expect(heardOf(hook).slice(2)).toEqual([...Array.from({ length: 4 }, () => pendingId), lastId])
  expect(new Set(notices.map(({ id }) => id)).size).toBe(1)
  const nonces = notices.map(({ params }) => params.nonce)
  expect(nonces).toEqual([...new Set(nonces)].toSorted((a, b) => a - b))
})

test('without a listener the notice waits, and the exchange continues', async () => {
  const venue = await open('http://127.0.0.1:9/hooks')
  expect(await venue.admin(`/deposits/${pendingId}/cancel`)).toBe(200)
  await expect.poll(() => venue.exchange.state.outbox).toMatchObject([{ depositId: pendingId, attempts: 1 }])
  expect((await fetch(`${venue.url}/api/v4/public/ping`)).status).toBe(200)
})

test('a receiver that never answers does not delay the shutdown', async () => {
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const venue = await open(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`)
  const connected = once(silent, 'connection')
  await venue.admin(`/deposits/${pendingId}/cancel`)
  await connected
  await venue.close()
  closing.length = 0
  silent.close()
})

test('an exchange that cannot listen sends no notice, and the next one sends what is due', async () => {
  const hook = await receiver()
  hook.answerWith(503)
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rungs-webhooks-'))
  closing.push(async () => rmSync(dataDirectory, { recursive: true }))
  const options = { world: worldTelling(hook.url), dataDirectory, adminPort: 0 }
  const first = await startExchange({ ...options, clock: new ManualClock(beginsAt) })
  await fetch(`${first.adminUrl}/deposits/${pendingId}/cancel`, { method: 'POST' })
  await hook.until(1)
  await first.close()
  const clock = new ManualClock(beginsAt + 600_000)
  const other = await open(hook.url)
  const port = Number(new URL(other.url).port)
  await expect(startExchange({ ...options, clock, port })).rejects.toThrow('The port is in use')
  // A notice of the failed exchange would arrive first.
  await other.admin(`/deposits/${laterId}/cancel`)
  await hook.until(2)
  expect(heardOf(hook)).toEqual([pendingId, laterId])
  const again = await startExchange({ ...options, clock })
  closing.push(() => again.close())
  await hook.until(3)
  expect(heardOf(hook)[2]).toBe(pendingId)
})

test('only a pending deposit can be cancelled, and only once', async () => {
  const venue = await open('http://127.0.0.1:9/hooks')
  expect(await venue.admin(`/deposits/${pendingId}/cancel`)).toBe(200)
  expect(await venue.admin(`/deposits/${pendingId}/cancel`)).toBe(404)
  expect(await venue.admin('/deposits/11111111-1111-4111-8111-000000000002/cancel')).toBe(404)
})

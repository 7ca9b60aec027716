import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createClient, type Client } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { Nonces } from '#src/client/nonce.ts'
import { Secret } from '#src/contract/signing.ts'
import { systemClock } from '#src/time/clock.ts'
import { startExchange, temporaryFolder, type Exchange } from '#test/cli/process.ts'
import { acceptedIn, isType, startBot } from './bot-process.ts'

const grid = 'strategies/01-static-grid.yaml'
const maker = 'strategies/05-market-making.yaml'
const market = 'BTC_USDT'
const killsMost = 4

/** The exchange in a process of its own, and a venue file for it. */
async function venueIn(folder: { file: (name: string) => string }): Promise<{ exchange: Exchange; path: string }> {
  const exchange = await startExchange(['--profile', 'full', '--market', 'seeded', '--speed', '60', '--seed', 'kills'])
  const path = folder.file('venue.yaml')
  const text = `url: ${exchange.url}\nclientIds: forever\nsettle: 0s\nkey: paper-key\nsecret: paper-secret\n`
  writeFileSync(path, text)
  return { exchange, path }
}

/** Somebody who looks at the account with the same key, above all nonces of the bot. */
function observer(url: string): Client {
  const clock = { now: () => systemClock.now() + 1_000_000 }
  const nonces = new Nonces({ clock, mode: 'strict' })
  const credentials = { key: 'paper-key', secret: new Secret('paper-secret') }
  return createClient({ transport: httpTransport(url), key: { credentials, nonces } })
}

/** Every order that the venue has ever taken, by our id. */
async function ordersAt(client: Client): Promise<{ id: string; side: string; filled: number }[]> {
  const resting = await client.openOrders({ market, limit: 100 })
  const ended = await client.orderHistory({ market, limit: 500 })
  if (resting.kind !== 'answer' || ended.kind !== 'answer') throw new Error('the venue did not tell')
  return [...resting.value, ...(ended.value[market] ?? [])].map((order) => ({
    id: order.client_order_id,
    side: order.side,
    filled: Number(order.deal_stock),
  }))
}

test('kill -9 at any moment doubles no order and loses no fill', async () => {
  using folder = temporaryFolder()
  const { exchange, path } = await venueIn(folder)
  await using _ = exchange
  const words = [maker, '--venue', path, '--speed', '60', '--state-dir', folder.file('state')]
  let fills = 0
  for (let kills = 0; kills < killsMost; kills++) {
    await using bot = startBot(words)
    await bot.said(isType('order-accepted'))
    // At some moment between two things that it says.
    for (let heard = bot.lines.length + 7 * kills; bot.lines.length < heard;) await bot.said((line) => bot.lines.indexOf(line) >= heard)
    bot.kill('SIGKILL')
    expect((await bot.ended).signal).toBe('SIGKILL')
    fills += bot.lines.filter(isType('fill')).length
  }
  await using bot = startBot([...words, '--for', '4s'])
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  fills += bot.lines.filter(isType('fill')).length
  expect(bot.lines.at(-1)).toMatchObject({ type: 'summary', agrees: true })
  expect(bot.lines.filter(isType('drift'))).toEqual([])
  expect(fills).toBeGreaterThan(0)
}, 120_000)

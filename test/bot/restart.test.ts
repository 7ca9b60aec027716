import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createClient, type Client } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { Nonces } from '#src/client/nonce.ts'
import { Secret } from '#src/contract/signing.ts'
import { Decimal } from '#src/money/decimal.ts'
import { systemClock } from '#src/time/clock.ts'
import { rungs, startExchange, temporaryFolder, type Exchange } from '#test/cli/process.ts'
import { acceptedIn, isType, startBot, type Line } from './bot-process.ts'

const maker = 'strategies/05-market-making.yaml'
const market = 'BTC_USDT'
const lively = '--profile full --market seeded --speed 60 --seed kills'
const killsMost = 5
const endMsMax = 10_000
/** Ahead of every nonce of the bot, which shares the key. */
const nonceAheadMs = 50_000

const statusLine = z.object({
  strategies: z.array(
    z.object({
      orders: z.object({ resting: z.int(), sending: z.int(), doubtful: z.array(z.string()) }),
      holdings: z.array(z.object({ symbol: z.string(), position: z.string() })),
    }),
  ),
})

function venueFile(folder: { file: (name: string) => string }, exchange: Exchange): string {
  const path = folder.file('venue.yaml')
  const lines = [
    `url: ${exchange.url}`,
    'clientIds: forever',
    'settle: 0s',
    'key: paper-key',
    'secret: paper-secret',
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Somebody else who looks at the same account. */
function observer(url: string): Client {
  const clock = { ...systemClock, now: () => systemClock.now() + nonceAheadMs }
  const credentials = { key: 'paper-key', secret: new Secret('paper-secret') }
  return createClient({
    transport: httpTransport(url),
    key: { credentials, nonces: new Nonces({ clock, mode: 'strict' }) },
  })
}

/** What the venue has of us: how many orders rest, and what all that ever filled comes to. */
async function bookedAt(url: string): Promise<{ ids: string[]; resting: number; position: Decimal }> {
  const client = observer(url)
  const resting = await client.openOrders({ market, limit: 100 })
  const ended = await client.orderHistory({ market, limit: 500 })
  await client.close()
  if (resting.kind !== 'answer' || ended.kind !== 'answer') throw new Error('the venue did not tell')
  const all = [...resting.value, ...(ended.value[market] ?? [])]
  const position = all.reduce(
    (sum, { side, deal_stock: filled }) => (side === 'buy' ? sum.plus(filled) : sum.minus(filled)),
    new Decimal(0),
  )
  return { ids: all.map((order) => order.client_order_id), resting: resting.value.length, position }
}

test('a venue that falls silent does not hold the process when it is told to end', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(lively.split(' '))
  const words = [maker, '--venue', venueFile(folder, exchange), '--speed', '60']
  await using bot = startBot([...words, '--state-dir', folder.file('state')])
  await bot.said(isType('order-accepted'))
  exchange.signal('SIGSTOP')
  bot.kill('SIGTERM')
  const toldAt = performance.now()
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  expect(performance.now() - toldAt).toBeLessThan(endMsMax)
  expect(bot.lines.at(-1)?.type).toBe('summary')
  expect(bot.lines.filter(isType('error'))).toEqual([])
  exchange.signal('SIGCONT')
}, 60_000)

test('kill -9 doubles no order and loses no fill, and the next start goes on', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(lively.split(' '))
  const state = ['--state-dir', folder.file('state')]
  const words = [maker, '--venue', venueFile(folder, exchange), '--speed', '60', ...state]
  const heard: Line[] = []
  for (let kills = 0; kills < killsMost; kills++) {
    await using bot = startBot(words)
    // Each time a little later in what it does.
    await bot.said((line) => line.type === 'order-accepted' && bot.lines.length > 12 + 9 * kills)
    bot.kill('SIGKILL')
    expect((await bot.ended).signal).toBe('SIGKILL')
    heard.push(...bot.lines)
  }
  await using last = startBot([...words, '--for', '4s'])
  expect((await last.ended).code, last.stderr()).toBe(0)
  heard.push(...last.lines)

  expect(last.lines.at(-1)).toMatchObject({ type: 'summary', agrees: true })
  expect(heard.filter(isType('drift'))).toEqual([])
  expect(heard.filter(isType('fill')).length).toBeGreaterThan(0)
  const accepted = acceptedIn(heard)
  expect(new Set(accepted).size).toBe(accepted.length)
  const { stdout } = await rungs(['status', '--json', ...state])
  const [own] = statusLine.parse(JSON.parse(stdout)).strategies
  const booked = await bookedAt(exchange.url)
  expect(new Set(booked.ids).size).toBe(booked.ids.length)
  const position = own?.holdings.find(({ symbol }) => symbol === market)?.position ?? '0'
  expect({ orders: own?.orders, position }).toEqual({
    orders: { resting: booked.resting, sending: 0, doubtful: [] },
    position: booked.position.toFixed(),
  })
}, 120_000)

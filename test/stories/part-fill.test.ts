import { expect, test } from 'vitest'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Order } from '#src/engine/state/state.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { botAtWork, emptyFolder, type BotAtWork } from './bot-at-work.ts'
import { grid, until } from './story.ts'

const market = 'BTC_PERP'
/** Rungs of several thousandths of a coin, so that they can fill in parts. */
const strategy = grid().replace('total: 6000 quote', 'total: 12000 quote')
const hand = { key: 'hand-key', secret: 'hand-secret', permissions: ['read', 'trade', 'funds', 'account'] }
const paper = { ...hand, key: 'paper-key', secret: 'paper-secret' }
const world = worldWith({ accounts: { paper: { keys: [paper, hand] } } })

function clientAt({ running }: FaultyVenue, clock: Clock, name: string): Client {
  const credentials = { key: `${name}-key`, secret: new Secret(`${name}-secret`) }
  const key = { credentials, nonces: new Nonces({ clock, mode: 'strict' }) }
  return createClient({ transport: httpTransport(running.url), key, clock })
}

type Scene = { clock: Clock; bot: BotAtWork; rival: Client; person: Client }

/** The bot, a counterparty and the owner of the account at an exchange without other traders. */
async function scene(act: (scene: Scene) => Promise<void>): Promise<void> {
  const { path: folder, remove } = emptyFolder()
  const { clock, stop } = startEventLoopClock()
  const venue = await startFaultyVenue({ world, clock, profile: 'full', seed: 'part' })
  const [rival, person] = [clientAt(venue, clock, 'rival'), clientAt(venue, clock, 'hand')]
  // The bot needs a book for its first price.
  const far = [
    { market, side: 'buy', price: '59000', amount: '0.001' },
    { market, side: 'sell', price: '61000', amount: '0.001' },
  ] as const
  await rival.collateralBulk({ orders: [...far] })
  const bot = await botAtWork({ url: venue.url, folder, strategies: [strategy], clock })
  try {
    await act({ clock, bot, rival, person })
    expect(bot.broken).toEqual([])
  } finally {
    await bot.stop()
    await Promise.all([rival.close(), person.close()])
    await venue.close()
    stop()
    remove()
  }
}

function resting({ state }: BotAtWork, level: string): Order | undefined {
  return Object.values(state.orders).find((order) => order.level === level && order.status === 'resting')
}

/** The rival fills this amount of an order of the bot. */
async function takes(rival: Client, { side, price }: Order, amount: string): Promise<void> {
  const other = side === 'buy' ? ('sell' as const) : ('buy' as const)
  await rival.collateralBulk({ orders: [{ market, side: other, price, amount, ioc: true }] })
}

/** Open orders of a rung and of its exits, as the venue lists them. */
async function listed(person: Client, level: string): Promise<string[]> {
  const answer = await person.openOrders({ market })
  if (answer.kind !== 'answer') throw new Error('the venue did not list its orders')
  return answer.value
    .filter(({ client_order_id: id }) => new RegExp(`^story\\.grid\\.m?${level}(-\\d)?\\.`).test(id ?? ''))
    .map(({ client_order_id: id, side, left }) => `${id} ${side} ${left}`)
    .toSorted()
}

async function held(person: Client): Promise<string[]> {
  const answer = await person.openPositions()
  if (answer.kind !== 'answer') throw new Error('the venue did not list the positions')
  return answer.value.map(({ amount }) => amount)
}

test('each partial fill of a rung gets its own exit, while the rest of the rung stays open', () =>
  scene(async ({ clock, bot, rival, person }) => {
    await until(clock, () => resting(bot, 'b1') !== undefined)
    const rung = resting(bot, 'b1')!
    expect(rung.amount).toBe('0.01')
    await takes(rival, rung, '0.003')
    await until(clock, () => resting(bot, 'mb1') !== undefined)
    expect(await listed(person, 'b1')).toEqual(['story.grid.b1.1 buy 0.007', 'story.grid.mb1.1 sell 0.003'])
    expect(await held(person)).toEqual(['0.003'])

    await takes(rival, rung, '0.004')
    await until(clock, () => resting(bot, 'mb1-2') !== undefined)
    expect(await listed(person, 'b1')).toEqual([
      'story.grid.b1.1 buy 0.003',
      'story.grid.mb1-2.1 sell 0.004',
      'story.grid.mb1.1 sell 0.003',
    ])

    const exit = resting(bot, 'mb1')!
    expect(Number(exit.price)).toBeGreaterThan(Number(rung.price))
    await takes(rival, exit, exit.amount)
    await until(clock, () => bot.state.orders[exit.id]?.status === 'ended')
    await clock.sleep(5000)
    expect(await listed(person, 'b1')).toEqual(['story.grid.b1.1 buy 0.003', 'story.grid.mb1-2.1 sell 0.004'])
    expect(await held(person)).toEqual(['0.004'])
    expect(bot.state.strategies['story']?.holdings['btc']?.position).toBe('0.004')
    expect(bot.notes.filter(({ type }) => type === 'drift')).toEqual([])
  }))

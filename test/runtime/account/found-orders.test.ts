import { cpSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Order } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Clock } from '#src/core/time/clock.ts'
import type { FoundChoice } from '#src/engine/events.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { startEventLoopClock } from '#test/support/event-loop-clock.ts'
import { worldWith } from '#test/support/world.ts'
import { botAtWork, emptyFolder, type BotAtWork } from '#test/stories/bot-at-work.ts'
import { StoryOracle } from '#test/stories/oracle.ts'
import { grid, until } from '#test/stories/story.ts'

type About = { folder?: string; tag?: string; foundOrders?: FoundChoice; total?: string }
type Scene = {
  clock: Clock
  venue: FaultyVenue
  /** Starts a bot; without a folder it gets one of its own. */
  begin: (about?: About) => Promise<BotAtWork>
  oracle: StoryOracle
  /** A folder that ends with the scene. */
  folder: () => string
}

/** A venue whose prices move by themselves. */
async function atVenue(story: (scene: Scene) => Promise<void>): Promise<void> {
  const { clock, stop } = startEventLoopClock()
  const keys = ['paper', 'hand'].map((name) => ({
    key: `${name}-key`,
    secret: `${name}-secret`,
    permissions: ['read', 'trade', 'funds', 'account'],
  }))
  const world = worldWith({ accounts: { paper: { keys } } })
  const about = { world, clock, profile: 'full', seed: 'story', speed: 20 } as const
  const venue = await startFaultyVenue({ ...about, sources: { seeded: true } })
  const folders = new Set<{ remove: () => void }>()
  const folder = () => {
    const made = emptyFolder()
    folders.add(made)
    return made.path
  }
  const begin = ({ folder: path = folder(), total = '6000', ...more }: About = {}) => {
    const strategies = [grid().replace('total: 6000', `total: ${total}`)]
    return botAtWork({ url: venue.url, folder: path, strategies, clock, speed: 20, ...more })
  }
  try {
    await story({ clock, venue, begin, folder, oracle: new StoryOracle(venue.running) })
  } finally {
    await venue.close()
    stop()
    for (const { remove } of folders) remove()
  }
}

const restingOf = ({ state }: BotAtWork) =>
  Object.values(state.orders).filter(({ status }) => status === 'resting')
const messages = ({ notes }: BotAtWork) =>
  notes.flatMap((note) => [('message' in note && note.message) || ('reason' in note && note.reason) || ''])
const isFirstBuy = ({ level, status }: Order) => level === 'b1' && status === 'resting'
const positionOf = ({ state }: BotAtWork) => state.strategies['story']?.holdings['btc']?.position ?? '0'

/** Somebody who trades on the account of the bot with another key. */
function personAt({ venue, clock }: Scene): Client {
  return createClient({
    transport: httpTransport(venue.running.url),
    key: {
      credentials: { key: 'hand-key', secret: new Secret('hand-secret') },
      nonces: new Nonces({ clock, mode: 'strict' }),
    },
  })
}

/** A bot has placed its grid, has traded, and was killed. Gives its open orders. */
async function abandoned({ begin, clock, oracle }: Scene, about: About): Promise<string[]> {
  const bot = await begin(about)
  await until(clock, () => restingOf(bot).length >= 8 && restingOf(bot).some(({ role }) => role === 'exit'))
  await bot.abandon()
  return oracle.resting().map(({ id }) => id)
}

test('a second folder on the account of another one places nothing beside its orders, and says what to do', () =>
  atVenue(async (scene) => {
    const theirs = await abandoned(scene, { tag: 'k7' })
    const bot = await scene.begin({ tag: 'q2' })
    try {
      await until(scene.clock, () => bot.state.quotes['BTC_PERP'] !== undefined)
      const reason = bot.state.stopped ?? ''
      expect(reason).toMatch(
        /^\d+ open orders of Rungs that this journal has not placed: \d+ of story in BTC_PERP/,
      )
      expect(reason).toContain(
        'with the tag k7. fix: start again with --found-orders adopt (manage them), cancel',
      )
      await scene.clock.sleep(2000)
      expect(Object.keys(bot.state.orders)).toEqual([])
      expect(positionOf(bot)).toBe('0')
      expect(bot.notes.filter(({ type }) => type === 'stopped')).toHaveLength(1)
      expect(theirs.length).toBeGreaterThan(5)
      await bot.operate({ kind: 'operator', act: 'resume', strategy: null, reason: 'both shall trade' })
      await until(scene.clock, () => restingOf(bot).length > 0)
      expect(restingOf(bot).filter(({ id }) => !/\.q2\w+$/.test(id))).toEqual([])
    } finally {
      await bot.stop()
    }
  }))

test('ignore: the second folder trades beside the orders of the first one, under ids of its own', () =>
  atVenue(async (scene) => {
    const theirs = new Set(await abandoned(scene, { tag: 'k7' }))
    const bot = await scene.begin({ tag: 'q2', foundOrders: 'ignore', total: '3000' })
    try {
      await until(scene.clock, () => restingOf(bot).length >= 6)
      expect(messages(bot).join('\n')).toMatch(/with the tag k7: the bot trades beside them and ignores them/)
      expect(Object.keys(bot.state.orders).filter((id) => theirs.has(id))).toEqual([])
      expect(bot.notes.filter(({ type }) => type === 'order-unknown')).toEqual([])
      expect(bot.state.stopped).toBeNull()
    } finally {
      await bot.stop()
    }
  }))

test('cancel: exactly the orders of the other journal are cancelled before the first entry', () =>
  atVenue(async (scene) => {
    const theirs = new Set(await abandoned(scene, { tag: 'k7' }))
    const bot = await scene.begin({ tag: 'q2', foundOrders: 'cancel' })
    try {
      await until(scene.clock, () => restingOf(bot).length >= 6)
      expect(messages(bot).join('\n')).toMatch(/with the tag k7: the bot cancels them/)
      expect(scene.oracle.resting().filter(({ id }) => theirs.has(id))).toEqual([])
      const orders = Object.values(bot.state.orders)
      expect(orders.filter(({ id }) => theirs.has(id))).toEqual([])
      expect(bot.state.stopped).toBeNull()
      expect(bot.broken).toEqual([])
    } finally {
      await bot.stop()
    }
  }))

test('adopt: entries become orders of this journal, and only what fills from now on is booked', () =>
  atVenue(async (scene) => {
    const theirs = new Set(await abandoned(scene, { tag: 'k7' }))
    const bot = await scene.begin({ tag: 'q2', foundOrders: 'adopt' })
    try {
      const adopted = () => Object.values(bot.state.orders).filter(({ id }) => theirs.has(id))
      expect(adopted().length).toBeGreaterThan(3)
      expect(messages(bot).join('\n')).toMatch(/the bot has adopted them, and books their fills from now on/)
      const before = new Map(adopted().map(({ id, filled }) => [id, filled]))
      expect(adopted().filter(({ role }) => role === 'exit')).toEqual([])
      // The other journal may have exits, which close a position that this one does not hold.
      await bot.operate({ kind: 'operator', act: 'resume', strategy: null, reason: 'seen' })
      await until(
        scene.clock,
        () => bot.notes.some(({ type }) => type === 'fill') && restingOf(bot).length >= 6,
      )
      const booked = Object.values(bot.state.orders).reduce((sum, { id, side, filled }) => {
        const fresh = new Decimal(filled).minus(before.get(id) ?? 0)
        return side === 'buy' ? sum.plus(fresh) : sum.minus(fresh)
      }, new Decimal(0))
      expect(new Decimal(positionOf(bot)).toFixed()).toBe(booked.toFixed())
      expect(bot.broken).toEqual([])
    } finally {
      await bot.stop()
    }
  }))

test('an old backup: orders it does not know are explained, no number is used twice, nothing is booked twice', () =>
  atVenue(async (scene) => {
    const [folder, backup] = [scene.folder(), scene.folder()]
    const first = await scene.begin({ folder, tag: 'k7' })
    await until(scene.clock, () => restingOf(first).length >= 6)
    await first.stop()
    cpSync(folder, backup, { recursive: true })
    // With other amounts each rung is placed again: some of them stay open, wherever the price goes.
    const second = await scene.begin({ folder, total: '5400' })
    const known = new Set(Object.keys(first.state.orders))
    await until(scene.clock, () =>
      Object.values(second.state.orders).some(({ id, filled }) => !known.has(id) && Number(filled) > 0),
    )
    await until(scene.clock, () => restingOf(second).filter(({ id }) => !known.has(id)).length >= 4)
    await second.abandon()
    const used = new Set(Object.keys(second.state.orders))

    const bot = await scene.begin({ folder: backup })
    try {
      expect(bot.state.tag).toBe('k7')
      await until(scene.clock, () => bot.state.stopped !== null)
      expect(bot.state.stopped).toContain('with the tag k7, as in this journal')
      expect(messages(bot).join('\n')).toMatch(
        /do(?:es)? not know them: their fills \(.*in BTC_PERP\) are not booked/,
      )
      await bot.operate({ kind: 'operator', act: 'resume', strategy: null, reason: 'seen' })
      await until(scene.clock, () => restingOf(bot).some(({ id }) => !known.has(id)))
      const fresh = Object.keys(bot.state.orders).filter((id) => !known.has(id))
      expect(fresh.filter((id) => used.has(id))).toEqual([])
      expect(bot.notes.filter(({ type }) => type === 'order-unknown')).toEqual([])
      const isLost = (id = '') => used.has(id) && !known.has(id)
      expect(bot.notes.filter((note) => note.type === 'fill' && isLost(note.order))).toEqual([])
    } finally {
      await bot.stop()
    }
  }))

test('the same tag by chance: the venue refuses a used id, and the bot explains it and goes on with higher numbers', () =>
  atVenue(async (scene) => {
    const person = personAt(scene)
    const far = { market: 'BTC_PERP', side: 'buy', price: '40000', amount: '0.005' } as const
    // An order of the other journal, which has ended too early for the bot to find it at its start.
    await person.collateralBulk({ orders: [{ ...far, client_order_id: 'story.grid.b1.k71', ioc: true }] })
    await person.close()
    await scene.clock.sleep(500)
    const bot = await scene.begin({ tag: 'k7' })
    try {
      await until(scene.clock, () => restingOf(bot).some(isFirstBuy))
      expect(messages(bot).filter((message) => message.includes('has the id story.grid.b1.k71'))).toEqual([
        expect.stringMatching(
          /^another order of this account has the id .* a journal with the same tag: the bot uses higher/,
        ),
      ])
      expect(restingOf(bot).find(isFirstBuy)?.id).toBe('story.grid.b1.k73')
      expect(bot.state.orders['story.grid.b1.k71']?.filled).toBe('0')
      expect(bot.notes.filter(({ type }) => type === 'order-unknown')).toHaveLength(1)
    } finally {
      await bot.stop()
    }
  }))

test('manual trades beside the bot: none is booked or claimed, the bot trades on, and the drift names the cause', () =>
  atVenue(async (scene) => {
    const person = personAt(scene)
    const bot = await scene.begin({ tag: 'k7' })
    try {
      await until(scene.clock, () => restingOf(bot).length >= 6)
      const order = { market: 'BTC_PERP', side: 'buy', amount: '0.07' } as const
      // A trade without an id, a resting order with an id of its own, and one whose id looks like one of ours.
      await person.collateralMarket(order)
      const price = '40000'
      await person.collateralBulk({ orders: [{ ...order, price, client_order_id: 'by-hand-1' }] })
      await person.collateralBulk({ orders: [{ ...order, price, client_order_id: 'story.grid.b1.k7zz' }] })
      const drifts = () => bot.notes.flatMap((note) => (note.type === 'drift' ? [note.message] : []))
      const cause = 'orders that no strategy has placed trade on this account'
      await until(scene.clock, () => drifts().some((message) => message.endsWith(`in BTC_PERP; ${cause}`)))
      expect(drifts().filter((message) => message.includes('buy 0.07 at 40000'))).toHaveLength(2)
      expect(drifts().filter((message) => message.startsWith('The positions'))).toEqual([
        expect.stringContaining('+0.07 in BTC_PERP'),
      ])
      const fills = bot.notes.filter(({ type }) => type === 'fill').length
      await until(scene.clock, () => bot.notes.filter(({ type }) => type === 'fill').length > fills)
      const orders = Object.values(bot.state.orders)
      expect(orders.filter(({ price: at, amount }) => at === price || amount === '0.07')).toEqual([])
      const own = orders.map(({ side, filled }) => `${side === 'buy' ? '' : '-'}${filled}`)
      const sum = own.reduce((total, each) => total.plus(each), new Decimal(0))
      expect(new Decimal(positionOf(bot)).toFixed()).toBe(sum.toFixed())
      expect([bot.state.stopped, bot.broken]).toEqual([null, []])
    } finally {
      await bot.stop()
      await person.close()
    }
  }))

import { expect, test } from 'vitest'
import type { Order } from '#src/engine/state/state.ts'
import { grid } from './story.ts'
import { inVirtualTime, type VirtualBot } from './virtual-bot.ts'

const market = 'BTC_PERP'
const settleMs = 40_000

const resting = ({ state }: VirtualBot, label: RegExp) =>
  Object.values(state.orders).filter(({ level, status }) => status === 'resting' && label.test(level))

/** The rival fills a whole order of the bot. */
async function takes({ rival }: VirtualBot, { side, price, amount }: Order): Promise<void> {
  const other = side === 'buy' ? ('sell' as const) : ('buy' as const)
  await rival.collateralBulk({ orders: [{ market, side: other, price, amount }] })
}

/** The best bid of the grid fills, and its mirror is placed. */
async function opened(bot: VirtualBot): Promise<Order> {
  await bot.until(() => resting(bot, /^b1$/).length === 1)
  const [entry] = resting(bot, /^b1$/)
  if (!entry) throw new Error('no order rests')
  await takes(bot, entry)
  await bot.until(() => resting(bot, /^mb1$/).length === 1)
  const [target] = resting(bot, /^mb1$/)
  if (!target) throw new Error('no target rests')
  return target
}

const events = ({ notes }: VirtualBot, ...types: string[]) => notes.filter(({ type }) => types.includes(type))

for (const lag of [0, 2, 10, 30]) {
  test(`a position that the bot closes itself is no drift if the history is ${lag} s late`, () =>
    inVirtualTime(
      { world: { switches: { historyLag: `${lag}s` } }, strategy: grid(), settleMs, price: 60_000 },
      async (bot) => {
        for (let round = 0; round < 3; round++) {
          const target = await opened(bot)
          await takes(bot, target)
          await bot.until(() => bot.state.orders[target.id]?.status === 'ended')
          expect(bot.state.orders[target.id]?.filled).toBe(target.amount)
        }
        await bot.pass(120_000)
        expect(events(bot, 'halted', 'drift', 'order-unknown', 'error')).toEqual([])
        expect(bot.state.strategies['story']?.holdings['btc']?.position).toBe('0')
        expect(resting(bot, /^b1$/)).toHaveLength(1)
      },
    ))
}

test('equal fills, each before the history shows the previous one, are no drift', () =>
  inVirtualTime(
    { world: { switches: { historyLag: '10s' } }, strategy: grid(), settleMs, price: 60_000 },
    async (bot) => {
      await bot.until(() => resting(bot, /^b\d+$/).length >= 5)
      const entries = resting(bot, /^b\d+$/).sort((a, b) => Number(b.price) - Number(a.price))
      expect(new Set(entries.slice(0, 5).map(({ amount }) => amount)).size).toBe(1)
      for (const entry of entries.slice(0, 5)) {
        await takes(bot, entry)
        await bot.pass(9000)
      }
      await bot.pass(120_000)
      expect(events(bot, 'halted', 'drift')).toEqual([])
    },
  ))

test('a position that a person closes halts the strategy after the lag of the history', () =>
  inVirtualTime(
    { world: { switches: { historyLag: '10s' } }, strategy: grid(), settleMs, price: 60_000 },
    async (bot) => {
      const target = await opened(bot)
      await bot.pass(60_000)
      await bot.rival.collateralBulk({
        orders: [{ market, side: 'buy', price: '59990', amount: target.amount }],
      })
      await bot.person.collateralBulk({
        orders: [{ market, side: 'sell', price: '59990', amount: target.amount, ioc: true }],
      })
      await bot.pass(settleMs - 1000)
      expect(events(bot, 'halted')).toEqual([])
      await bot.pass(10_000)
      expect(events(bot, 'halted')).toMatchObject([{ reason: expect.stringContaining('others closed') }])
    },
  ))

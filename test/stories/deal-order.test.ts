import { expect, test } from 'vitest'
import type { Order } from '#src/engine/state/state.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { grid } from './story.ts'
import { inVirtualTime, type VirtualBot } from './virtual-bot.ts'

const market = 'BTC_PERP'

function resting({ state }: VirtualBot, label: string): Order {
  const found = Object.values(state.orders).find(
    ({ level, status }) => level === label && status === 'resting',
  )
  if (!found) throw new Error(`no order of ${label} rests`)
  return found
}

/** The rival fills an order of the bot with this amount. */
async function takes({ rival }: VirtualBot, { side, price }: Order, thousandths: number): Promise<void> {
  const other = side === 'buy' ? ('sell' as const) : ('buy' as const)
  const order = { market, side: other, price, amount: (thousandths / 1000).toFixed(3), ioc: true }
  await rival.collateralBulk({ orders: [order] })
}

async function moneyOf({ person }: VirtualBot): Promise<Decimal> {
  const answer = await person.collateralBalance({ ticker: 'USDT' })
  if (answer.kind !== 'answer') throw new Error('the venue did not answer')
  return new Decimal(answer.value['USDT'] ?? '0')
}

/** Average entry and realised result after fees, of the bot and of the venue. */
async function books(bot: VirtualBot, before: Decimal) {
  const holding = bot.state.strategies['story']?.holdings['btc']
  const position = await bot.positionIn(market)
  return {
    ours: {
      amount: holding?.position,
      entry: new Decimal(holding?.entry ?? 0).toDecimalPlaces(8, 1).toFixed(),
      result: new Decimal(holding?.realized ?? 0).minus(holding?.fees ?? 0).toFixed(),
    },
    theirs: {
      amount: position?.amount ?? '0',
      entry: position?.basePrice ?? '0',
      result: (await moneyOf(bot)).minus(before).toFixed(),
    },
  }
}

/** Orders of at least 0.003, so that each can fill in parts. */
const strategy = grid()
  .replace('total: 6000 quote', 'total: 12000 quote')
  .replace('    exit: { mirror: 1 }\n', '')

for (const amounts of [
  [1, 1, 1, 1],
  [2, 3, 1, 2],
  [3, 2, 2, 1],
]) {
  test(`alternating fills of a buy and a sell (${amounts.join(', ')}) are booked in the order of their deals`, () =>
    inVirtualTime({ strategy, settleMs: 0, price: 60_000 }, async (bot) => {
      await bot.pass(5000)
      const before = await moneyOf(bot)
      const first = resting(bot, 'b1')
      await takes(bot, first, Number(first.amount) * 1000)
      await bot.until(() => bot.state.strategies['story']?.holdings['btc']?.position === first.amount)
      // One poll finds all of these fills.
      const [one, other] = [resting(bot, 's1'), resting(bot, 'b2')]
      const notes = bot.notes.length
      for (const [index, amount] of amounts.entries()) await takes(bot, index % 2 === 0 ? one : other, amount)
      await bot.pass(2000)
      const { ours, theirs } = await books(bot, before)
      expect(ours).toEqual(theirs)
      const fills = bot.notes.slice(notes).filter(({ type }) => type === 'fill')
      expect(fills.map((note) => ('order' in note ? note.order : ''))).toEqual(
        amounts.map((_, index) => (index % 2 === 0 ? one.id : other.id)),
      )
      expect(bot.notes.filter(({ type }) => type === 'drift')).toEqual([])
    }))
}

/** Sells half of the position when the price is 0.1 % above the average entry. */
const touching = grid()
  .replace('side: both', 'side: buy')
  .replace(
    'exit: { mirror: 1 }',
    'exit: { tp: { from: avg_entry, pct: 0.1%, split: [0.5, 0.5], gap: 1%, mode: on_touch_ioc } }',
  )

/** The first rung fills, then a part of the second one, and before the next poll the price triggers a sale. */
async function sold(text: string, events: readonly string[]): Promise<void> {
  let price = 60_000
  await inVirtualTime({ strategy: text, settleMs: 0, price: () => price }, async (bot) => {
    await bot.pass(5000)
    const before = await moneyOf(bot)
    const first = resting(bot, '1')
    await takes(bot, first, Number(first.amount) * 1000)
    await bot.until(() => bot.state.strategies['story']?.holdings['btc']?.position === first.amount)
    await takes(bot, resting(bot, '2'), 6)
    await bot.rival.collateralBulk({ orders: [{ market, side: 'buy', price: '60120', amount: '0.05' }] })
    price = 60_121
    await bot.pass(10_000)
    const { ours, theirs } = await books(bot, before)
    const fills = bot.notes.filter(({ type }) => type === 'fill')
    expect(fills.map((note) => ('rung' in note ? note.rung : ''))).toEqual(events)
    expect(ours).toEqual(theirs)
  })
}

test('a fill that is polled after the answer to a later sale is booked before that sale', () =>
  sold(touching, ['1', 't1', '2']))

test('a fill that is found when its order is cancelled is booked before a later sale', () =>
  sold(
    touching
      .replace('needs: [', 'needs: [cancel, ')
      .replace('  book:', '  px: { source: book, market: btc, depth: 5, stale_after: 10m }\n  book:')
      .replace('when: 1 < 2', 'when: bid(px) < 60100')
      .replace('rules:\n', 'rules:\n  - { id: out, when: bid(px) > 60100, do: [retire: grid] }\n'),
    ['1', 't1', '2'],
  ))

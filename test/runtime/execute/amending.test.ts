import { expect, test } from 'vitest'
import type { Order } from '#src/engine/state/state.ts'
import { amendedQuotes } from '#test/runtime/support/amended-quotes.ts'
import { inVirtualTime, type VirtualBot } from '#test/stories/virtual-bot.ts'

const market = 'BTC_PERP'
const lot = '0.001'

const resting = ({ state }: VirtualBot) =>
  Object.values(state.orders).filter(({ status }) => status === 'resting')
const quoting = (bot: VirtualBot, ladder: string) =>
  resting(bot).find((order) => order.ladder === ladder && !order.withdrawing)
const amendments = ({ notes }: VirtualBot) =>
  notes.filter((note) => note.type === 'bulk-sent' && note.kind === 'amend').length
const troubles = ({ notes }: VirtualBot) =>
  notes.filter(({ type }) =>
    ['alert', 'drift', 'halted', 'order-unknown', 'order-refused', 'error'].includes(type),
  )

/** The rival fills one lot of an order of the bot, or another amount. */
async function takes({ rival }: VirtualBot, { side, price }: Order, amount = lot): Promise<void> {
  const other = side === 'buy' ? ('sell' as const) : ('buy' as const)
  const { orders } = await rival.collateralBulk({ orders: [{ market, side: other, price, amount }] })
  expect(orders).toMatchObject([{ kind: 'accepted' }])
}

/** The orders of the bot at the venue. */
async function openThere({ person }: VirtualBot): Promise<{ venueId: string; price: string | undefined }[]> {
  const answer = await person.openOrders()
  if (answer.kind !== 'answer') throw new Error(answer.kind)
  return answer.value.map(({ order_id: id, price }) => ({ venueId: String(id), price }))
}

test.each([0, 10])(
  'quotes that follow the price are amended, and each fill is booked once; the history is %d s late',
  (lag) => {
    let price = 60_000
    const world = { switches: { historyLag: `${lag}s` } }
    return inVirtualTime(
      { world, strategy: amendedQuotes, settleMs: 40_000, price: () => price },
      async (bot) => {
        await bot.until(() => resting(bot).length === 2)
        for (let round = 1; round <= 6; round++) {
          const bid = quoting(bot, 'bids')
          if (!bid) throw new Error('no bid rests')
          if (round % 2 === 0) await takes(bot, bid)
          price += 60
          await bot.pass(5000)
          expect(amendments(bot)).toBe(2 * round)
        }
        await bot.pass(120_000)
        const open = await openThere(bot)
        const known = resting(bot).map(({ venueId, price: at }) => ({ venueId, price: at }))
        expect(new Set(known)).toEqual(new Set(open))
        expect(open).toHaveLength(2)
        const { position } = bot.state.strategies['maker']?.holdings['btc'] ?? {}
        expect(position).toBe('0.003')
        expect((await bot.positionIn(market))?.amount).toBe(position)
        expect(troubles(bot)).toEqual([])
      },
    )
  },
)

test.each([0, 10])(
  'an order that fills before its amendment arrives is no trouble: the log has its fill and why its amendment ended; the ' +
    'history is %d s late',
  (lag) => {
    let price = 60_000
    const world = { switches: { historyLag: `${lag}s` } }
    return inVirtualTime(
      { world, strategy: amendedQuotes, settleMs: 40_000, price: () => price },
      async (bot) => {
        await bot.until(() => resting(bot).length === 2)
        const bid = quoting(bot, 'bids')
        if (!bid) throw new Error('no bid rests')
        await takes(bot, bid, bid.amount)
        price += 60
        await bot.pass(120_000)
        expect(troubles(bot)).toEqual([])
        const told = bot.notes.filter((note) => 'order' in note && note.order !== undefined)
        const of = (id: string, ...types: string[]) =>
          told.filter((note) => 'order' in note && note.order === id && types.includes(note.type))
        expect(of(bid.id, 'fill', 'order-ended')).toMatchObject([
          { amount: bid.amount },
          { reason: 'filled' },
        ])
        expect(of('maker.bids.1.2', 'order-ended')).toMatchObject([
          { filled: '0', reason: `${bid.id}, which it would replace, has filled` },
        ])
        expect(bot.notes.filter(({ type }) => type === 'order-resolved')).toEqual([])
        expect(await openThere(bot)).toHaveLength(2)
      },
    )
  },
)

test('an order that a person cancels before its amendment is searched for, and its rung is placed again', () => {
  let price = 60_000
  return inVirtualTime({ strategy: amendedQuotes, settleMs: 0, price: () => price }, async (bot) => {
    await bot.until(() => resting(bot).length === 2)
    const bid = quoting(bot, 'bids')
    // A person cancels the bid: the venue does not find it any more.
    await bot.person.cancelOrder({ market, order_id: Number(bid?.venueId) })
    price += 60
    await bot.pass(60_000)
    expect(await openThere(bot)).toHaveLength(2)
    expect(resting(bot)).toHaveLength(2)
    expect(bot.state.orders[bid?.id ?? '']).toMatchObject({ status: 'ended', filled: '0' })
    expect(troubles(bot)).toEqual([])
    expect(bot.notes.filter(({ type }) => type === 'order-ended')).toMatchObject([
      { order: bid?.id, filled: '0', reason: 'ended by the venue' },
      { order: 'maker.bids.1.2', filled: '0', reason: 'the venue does not list it' },
    ])
  })
})

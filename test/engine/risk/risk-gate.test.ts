import { expect, test } from 'vitest'
import type { OrderDraft } from '#src/engine/commands.ts'
import { approveOrders } from '#src/engine/risk/risk-gate.ts'
import type { State } from '#src/engine/state/state.ts'
import { decimal, type Decimal } from '#src/core/money/decimal.ts'
import { blocks, changing, risking, type Risk } from '#test/engine/support/gate-fixture.ts'
import { draftOf, now, orderOf, stateAtWork } from '#test/engine/support/working-state.ts'

const policies = ['level', 'ladder', 'market'] as const
const notional = (limits: Record<string, string>): Partial<Risk> => {
  const max_notional: Record<string, Decimal> = {}
  for (const [name, limit] of Object.entries(limits)) max_notional[name] = decimal(limit)
  return { max_notional }
}

const basics = { ladder: 'dip', level: '1', side: 'buy', role: 'entry', price: '990', amount: '1' } as const
const one = draftOf(basics)
const short = draftOf({ ladder: 'top', level: '1', side: 'sell', role: 'entry', price: '1010', amount: '1' })
const leaving = draftOf({ ...basics, level: 't1', side: 'sell', role: 'exit', price: '1010' })

test('an order that exceeds no limit passes', () => {
  expect(blocks(one)).toBe('')
  expect(blocks(leaving)).toBe('')
})

test('each limit of money tells which smaller order would pass', () => {
  expect(blocks(one, notional({ long: '900' }))).toBe(
    'max_notional long 900 would be 990.00 with this order; 90.00 less is within the limit',
  )
  expect(blocks(one, notional({ total: '989.999' }))).toBe(
    'max_notional total 989.999 would be 990.00 with this order; 0.01 less is within the limit',
  )
  expect(blocks(one, notional({ net: '900' }))).toContain('max_notional net 900 would be 990.00')
  expect(blocks(one, { max_position: { long: decimal('0.9') } })).toBe(
    'max_position long 0.9 would be 1 with this order; 0.1 less is within the limit',
  )
  expect(blocks(one, { per_week: decimal('900') })).toContain('per_week 900 would be 990.00')
})

const spent = (at: number) => (state: State) => {
  state.strategies['work']!.spent = [{ at, money: '10' }]
}

test('spending of exactly the last seven days counts', () => {
  const week = { per_week: decimal('990') }
  expect(blocks(one, week, spent(now - 604_799_999))).toContain('would be 1000.00')
  expect(blocks(one, week, spent(now - 604_800_000))).toBe('')
})

test('an exceeded limit blocks only orders that make it worse', () => {
  const hold = changing((state) => {
    Object.assign(state.strategies['work']!.holdings['short']!, { position: '-1', cost: '-1000' })
  })
  expect(blocks(one, notional({ net: '990' }), hold)).toBe('')
  expect(blocks(short, notional({ net: '990' }), hold)).toContain('max_notional net 990 would be 2010.00')
})

test('a position does not allow larger entries of the other side: exits may close it first', () => {
  const hold = changing((state) => {
    Object.assign(state.strategies['work']!.holdings['both']!, { position: '1', cost: '1000' })
  })
  const entry = draftOf({
    ladder: 'grid',
    level: 's1',
    side: 'sell',
    role: 'entry',
    price: '1010',
    amount: '1',
  })
  expect(blocks(entry, notional({ both: '1000' }), hold)).toContain('max_notional both 1000 would be 1010.00')
  expect(blocks(entry, { max_position: { both: decimal('0.9') } }, hold)).toContain('would be 1 with')
  expect(blocks(entry, notional({ both: '1010' }), hold)).toBe('')
  expect(blocks({ ...entry, level: 'mb1', role: 'exit' }, notional({ both: '1' }), hold)).toBe('')
})

test('a short position does not offset buys once an order may buy it back', () => {
  const hold = changing((state) => {
    Object.assign(state.strategies['work']!.holdings['short']!, { position: '-1', cost: '-1000' })
  })
  expect(blocks(one, notional({ net: '0.01' }), hold)).toBe('')
  const buyBack = { ...leaving, ladder: 'top', side: 'buy', positionSide: 'SHORT', price: '980' } as const
  const block = blocks(one, notional({ net: '0.01' }), (state) => {
    hold(state)
    state.orders['work.top.t1.1'] = orderOf(buyBack, { ...buyBack, id: 'work.top.t1.1' })
  })
  expect(block).toContain('max_notional net 0.01 would be 990.00')
})

const loss = (limit: string): Partial<Risk> => ({
  worst_case: { move: [decimal('0.3').neg()], max_loss: decimal(limit) },
})

test('the worst case begins at the current price, and gains in one market do not offset losses in another', () => {
  // Thirty percent below 1000 is 700.
  expect(blocks(one, loss('290'))).toBe('')
  expect(blocks(one, loss('289'))).toBe(
    'worst_case max_loss 289 would be 290.00 with this order; 1.00 less is within the limit',
  )
  const gains = changing((state) => {
    Object.assign(state.strategies['work']!.holdings['short']!, { position: '-1', cost: '-1000' })
  })
  expect(blocks(one, loss('289'), gains)).toContain('would be 290.00')
  expect(blocks(short, loss('1'))).toBe('')
  const unknown = changing((state) => {
    Object.assign(state.strategies['work']!.holdings['both']!, { position: '1', cost: '1000' })
    delete state.quotes['ETH_PERP']
  })
  expect(blocks(one, {}, unknown)).toContain('worst_case starts from a price that is unknown')
})

const sends = (at: number) => (state: State) => {
  state.strategies['work']!.sends = [{ at, orders: 2 }]
}

test('limits of counts apply, and an immediate order does not count as open', () => {
  const open = changing((state) => {
    state.orders['work.dip.9.1'] = orderOf({ ...basics, level: '9' }, { status: 'doubtful' })
  })
  const most = { max_open_orders: 1 }
  expect(blocks(one, most, open)).toBe(
    'max_open_orders 1 would be 2 with this order; an open order must end first',
  )
  expect(blocks(leaving, most, open)).toContain('max_open_orders 1')
  expect(blocks({ ...leaving, ioc: true }, most, open)).toBe('')
  const rate = { order_rate: { orders: 2, per: 1000 } }
  expect(blocks(one, rate, sends(now - 999))).toBe(
    'order_rate 2 in 1000 ms would be 3 with this order; within 1000 ms there is room again',
  )
  expect(blocks(one, rate, sends(now - 1000))).toBe('')
  expect(blocks(leaving, rate, sends(now - 999))).toBe('')
})

test('exits pass limits of money, pauses, unknown outcomes, halts and stops, except while exits are frozen', () => {
  const tight = { ...notional({ long: '1', total: '1', net: '1' }), per_week: decimal('1') }
  const troubled = changing((state) => {
    const own = state.strategies['work']!
    own.pauses = { drawdown: 'lost too much' }
    own.worth.result = '-50'
    state.orders['work.dip.t1.9'] = orderOf({ ...leaving }, { id: 'work.dip.t1.9', status: 'doubtful' })
  })
  expect(blocks(leaving, { ...tight, daily_loss: decimal('40') }, troubled)).toBe('')
  expect(blocks(one, {}, troubled)).toBe(
    'entries are paused by drawdown: lost too much; the pause ends by itself, or with rungs resume work',
  )
  const halted = changing((state) => {
    state.strategies['work']!.halted = 'enough'
  })
  expect(blocks(leaving, {}, halted)).toBe('')
  expect(blocks(one, {}, halted)).toBe('work is halted: enough; rungs resume work resumes it')
  const frozen = changing((state) => {
    Object.assign(state.strategies['work']!, { halted: 'enough', haltedExits: 'frozen' })
  })
  expect(blocks(leaving, {}, frozen)).toBe('work is halted, with exits: enough; rungs resume work resumes it')
  const stopped = changing((state) => {
    state.stopped = 'holiday'
  })
  expect(blocks(leaving, {}, stopped)).toBe('')
  expect(blocks(one, {}, stopped)).toContain('all strategies are stopped: holiday')
  const still = changing((state) => {
    Object.assign(state, { stopped: 'holiday', frozen: true })
  })
  expect(blocks(leaving, {}, still)).toContain('all strategies are stopped, with exits: holiday')
})

const lost = (result: string) => (state: State) => {
  Object.assign(state.strategies['work']!.worth, { result, dayBegan: '10' })
}

test('the loss of a day stops entries until the next one', () => {
  expect(blocks(one, { daily_loss: decimal('40') }, lost('-29.99'))).toBe('')
  expect(blocks(one, { daily_loss: decimal('40') }, lost('-30'))).toBe(
    'daily_loss 40 is reached: 40.00 lost since 00:00 UTC; the limit resets at 00:00 UTC',
  )
})

const doubtOf = (more: Partial<OrderDraft>) => (state: State) => {
  const order = orderOf({ ...basics, ...more }, { id: 'work.in.doubt', status: 'doubtful' })
  state.orders[order.id] = order
}
const blocking = (block: Risk['in_doubt']['block']) => ({ in_doubt: { block, halt_after: 1 } })

const isBlocked = (block: Risk['in_doubt']['block'], more: Partial<OrderDraft>) =>
  blocks(one, blocking(block), doubtOf(more)) !== ''

test('an unknown outcome blocks its level, its ladder or its market, as the file says', () => {
  expect(policies.map((each) => isBlocked(each, {}))).toEqual([true, true, true])
  const otherLevel = policies.map((each) => isBlocked(each, { level: '2' }))
  expect(otherLevel).toEqual([false, true, true])
  const otherLadder = policies.map((each) => isBlocked(each, { ladder: 'top', positionSide: 'SHORT' }))
  expect(otherLadder).toEqual([false, false, true])
  expect(isBlocked('market', { ladder: 'grid', market: 'ETH_PERP' })).toBe(false)
})

test('an order with unknown outcome may only be sent again unchanged, and counts once', () => {
  const doubtful = changing((state) => {
    state.orders[one.id] = orderOf({ ...basics }, { status: 'doubtful' })
  })
  const tight = { ...notional({ long: '990' }), max_open_orders: 1 }
  expect(blocks(one, tight, doubtful)).toBe('')
  expect(blocks({ ...one, price: '980' }, tight, doubtful)).toBe(
    'work.dip.1.1 was another order; the next order of the level may be placed',
  )
  const ended = changing((state) => {
    state.orders[one.id] = orderOf({ ...basics }, { status: 'ended' })
  })
  expect(blocks(one, {}, ended)).toContain('was another order')
})

test('entries need fresh prices, and no order is sent far from the market', () => {
  const feedOld = changing((state) => {
    state.strategies['work']!.feeds['btc']!.at = now - 180_001
  })
  expect(blocks(one, {}, feedOld)).toBe(
    'the feed btc is 180001 ms old; data younger than 180000 ms resolves it',
  )
  expect(blocks(leaving, {}, feedOld)).toBe('')
  const noPrice = changing((state) => {
    state.quotes = {}
  })
  expect(blocks(leaving, {}, noPrice)).toContain('no price of BTC_PERP is known')
  const oldPrice = changing((state) => {
    state.quotes['BTC_PERP']!.at = now - 60_001
  })
  expect(blocks(leaving, {}, oldPrice)).toContain('the last price of BTC_PERP is stale')
  const band = { price_band: decimal('0.01') }
  expect(blocks(one, band)).toBe('')
  expect(blocks({ ...one, price: '989.99' }, band)).toBe(
    'price_band 1%: 989.99 is 1.001% away from 1000; the order must be within 1% of the price',
  )
})

test('the rules of the venue are checked before anything is sent', () => {
  expect(blocks({ ...one, price: '990.001' })).toContain('990.001 is not a valid price of BTC_PERP')
  expect(blocks({ ...one, amount: '1e3' })).toContain('1e3 is not a valid amount of BTC_PERP')
  expect(blocks({ ...one, amount: '0' })).toContain('0 is not a valid amount of BTC_PERP')
  const strict = changing((state) => {
    Object.assign(state.venue.markets['BTC_PERP']!, { minAmount: '0.5', minTotal: '500', maxTotal: '800' })
  })
  expect(blocks({ ...one, amount: '0.4' }, {}, strict)).toContain(
    '0.4 is below the minimum amount of BTC_PERP; the minimum is 0.5',
  )
  expect(blocks({ ...one, amount: '0.505' }, {}, strict)).toContain(
    '499.95 is below the minimum notional of BTC_PERP',
  )
  expect(blocks(one, {}, strict)).toContain(
    '990 is above the maximum notional of BTC_PERP; the maximum is 800',
  )
  expect(blocks({ ...one, market: 'DOGE_PERP' })).toContain('DOGE_PERP LONG is not the market of dip')
  expect(blocks({ ...one, positionSide: 'SHORT' })).toContain('BTC_PERP SHORT is not the market of dip')
})

const four = [
  one,
  draftOf({ ...basics, level: '2', amount: '2' }),
  draftOf({ ...basics, level: '3', amount: '0.1' }),
  short,
]
const strict = risking(notional({ long: '1500' }))

test.each([
  [false, ['work.dip.1.1', 'work.dip.3.1', 'work.top.1.1']],
  [true, ['work.dip.1.1', 'work.top.1.1']],
])('with stopOnFail, orders behind a blocked one of the same ladder wait: %s', (stopOnFail, ids) => {
  const { approved } = approveOrders(stateAtWork(), strict, four, { stopOnFail })
  expect(approved.map(({ id }) => id)).toEqual(ids)
})

test.each([
  ['1500', ['work.dip.1.1', 'work.dip.3.1'], ['2']],
  ['100000', ['work.dip.1.1', 'work.dip.2.1'], []],
])('orders that do not fit into the next request are not checked, at a limit of %s', (long, ids, levels) => {
  const { approved, blocked } = approveOrders(stateAtWork(), risking(notional({ long })), four, { most: 2 })
  expect(approved.map(({ id }) => id)).toEqual(ids)
  expect(blocked.map(({ draft }) => draft.level)).toEqual(levels)
})

test('a ladder that is closing its whole position places no entries', () => {
  const leaves = changing((state) => {
    state.strategies['work']!.ladders['dip']!.exits.leave = 'st'
  })
  expect(blocks(one, {}, leaves)).toBe(
    'dip closes its position by its stop; the next episode starts when the position is flat',
  )
})

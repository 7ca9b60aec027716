import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { streamUpdates } from '#src/venues/whitebit/contract/streams/stream-frames.ts'
import { readStream, type StreamReader } from '#test/support/stream-reader.ts'
import { openVenue, type TestVenue } from '#test/support/venue.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { seed, times } from '../properties/runs.ts'

/**
 * Two accounts trade with each other over sockets. The expected results are computed from their deals alone, with the
 * BigInt arithmetic of this file; every call and every stream must agree.
 */
const one = 10n ** 18n
const names = ['paper', 'rival'] as const
type Name = (typeof names)[number]
const markets = {
  BTC_PERP: {
    price: 60_000,
    step: 0.1,
    digits: 1,
    lots: 3,
    maker: 100_000_000_000_000n,
    taker: 350_000_000_000_000n,
  },
  ETH_PERP: {
    price: 3000,
    step: 0.01,
    digits: 2,
    lots: 2,
    maker: 100_000_000_000_000n,
    taker: 350_000_000_000_000n,
  },
  BTC_USDT: { price: 60_000, step: 0.01, digits: 2, lots: 6, maker: 10n ** 15n, taker: 10n ** 15n },
} as const

let venue: TestVenue
let readers: Record<Name, StreamReader>

beforeEach(async () => {
  const accounts = Object.fromEntries(names.map((name) => [name, { leverage: '5' }]))
  venue = await openVenue('socket', { profile: 'full', world: { accounts, switches: { rateLimits: 'off' } } })
  readers = { paper: await open('paper'), rival: await open('rival') }
})
afterEach(async () => {
  await Promise.all(names.map((name) => readers[name].close()))
  await venue.close()
})

async function open(name: Name): Promise<StreamReader> {
  const reader = await readStream(venue.streamUrl)
  const outcome = await venue[name].streamToken()
  if (outcome.kind !== 'accepted') throw new Error(`no token: ${outcome.kind}`)
  await reader.ask('authorize', outcome.value.websocket_token, 'public')
  await reader.ask('deals_subscribe', Object.keys(markets))
  await reader.ask('ordersExecuted_subscribe', Object.keys(markets), 0)
  await reader.ask('balanceMargin_subscribe', 'USDT')
  await reader.ask('positionsMargin_subscribe')
  return reader
}

/** The atoms of a decimal text: the only conversion of numbers in this file. */
function atoms(text: string): bigint {
  const [, minus, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(text) ?? []
  const size = BigInt(whole + fraction.padEnd(18, '0'))
  return minus === '-' ? -size : size
}

type Deal = z.output<typeof streamUpdates.deals>
type Standing = { balance: bigint; positions: Map<string, { amount: bigint; cost: bigint }> }

/** One deal, booked for both accounts of a trade: exact except for the share of a cost, which is cut to an atom. */
function book(standing: Standing, [, , market, , priceText, amountText, feeText, , side]: Deal): void {
  const [price, amount] = [atoms(priceText), atoms(amountText)]
  const signed = side === 2 ? amount : -amount
  const position = standing.positions.get(market) ?? { amount: 0n, cost: 0n }
  const size = position.amount < 0n ? -position.amount : position.amount
  const against = position.amount !== 0n && position.amount > 0n !== signed > 0n
  const closing = against ? (amount < size ? amount : size) : 0n
  if (closing > 0n) {
    const cost = (position.cost * closing) / size
    const worth = (closing * price) / one
    standing.balance += position.amount > 0n ? worth - cost : cost - worth
    position.cost -= cost
  }
  position.cost += ((amount - closing) * price) / one
  position.amount += signed
  standing.balance -= atoms(feeText)
  if (position.amount === 0n) standing.positions.delete(market)
  else standing.positions.set(market, position)
}

function accepted<Value>(outcome: { kind: string; value?: Value }): Value {
  if (outcome.value === undefined) throw new Error(`the call was ${outcome.kind}`)
  return outcome.value
}

async function dealsOf(name: Name): Promise<Deal[]> {
  return z.array(streamUpdates.deals).parse(await readers[name].rest('deals'))
}

test('the deals of two accounts add up to the last digit in every call and stream', async () => {
  const chance = chanceOf(seed)
  const rounds = times(40, 400)
  for (let round = 0; round < rounds; round++) {
    const market = chance.oneOf(['BTC_PERP', 'ETH_PERP', 'BTC_USDT'] as const)
    const { price, step, digits, lots } = markets[market]
    const orders = Array.from({ length: 1 + chance.below(8) }, () => ({
      market,
      side: chance.oneOf(['buy', 'sell'] as const),
      price: (price + step * (chance.below(41) - 20)).toFixed(digits),
      amount: ((1 + chance.below(30)) / (lots === 6 ? 977 : 10 ** lots)).toFixed(lots),
      client_order_id: `${round}.${chance.below(1e9)}`,
      ioc: chance.below(5) === 0,
    }))
    venue.advance(250)
    await venue[chance.oneOf(names)].collateralBulk({ orders })
    if (chance.below(10) === 0) await venue[chance.oneOf(names)].cancelAll({})
    // A connection without a request for a minute is closed.
    if (round % 100 === 0) for (const name of names) await readers[name].ask('ping')
  }
  for (const name of names) await venue[name].cancelAll({})

  const reported = { paper: await dealsOf('paper'), rival: await dealsOf('rival') }
  expect(reported.paper.length).toBeGreaterThan(30)
  checkBothSides([...reported.paper, ...reported.rival])
  // Waits until every periodic update has been sent once more.
  for (let beats = 0; beats < 40; beats++) {
    venue.advance(100)
    await readers.paper.ask('ping')
  }
  const byAge = [...reported.paper, ...reported.rival].toSorted((a, b) => a[0] - b[0])
  const prices = new Map(byAge.map(([, , market, , price]) => [market, atoms(price)]))
  for (const name of names) await checkAccount(name, reported[name], prices)
})

/** Each trade has a maker and a taker, which agree on everything except direction and fee. */
function checkBothSides(deals: Deal[]): void {
  const byId = Map.groupBy(deals, ([id]) => id)
  for (const [id, sides] of byId) {
    expect(sides, `deal ${id}`).toHaveLength(2)
    const [maker, taker] = sides.toSorted((a, b) => a[9] - b[9])
    if (maker === undefined || taker === undefined) continue
    expect([maker[9], taker[9]]).toEqual([1, 2])
    expect(new Set([maker[8], taker[8]])).toEqual(new Set([1, 2]))
    expect(maker.slice(1, 3)).toEqual(taker.slice(1, 3))
    expect(maker.slice(4, 6)).toEqual(taker.slice(4, 6))
    const rates = Object.entries(markets).find(([name]) => name === maker[2])?.[1]
    const worth = (atoms(maker[4]) * atoms(maker[5])) / one
    expect(atoms(maker[6])).toBe((worth * (rates?.maker ?? 0n)) / one)
    expect(atoms(taker[6])).toBe((worth * (rates?.taker ?? 0n)) / one)
  }
}

async function checkAccount(name: Name, deals: Deal[], prices: Map<string, bigint>): Promise<void> {
  const standing: Standing = { balance: 50_000n * one, positions: new Map() }
  for (const deal of deals) book(standing, deal)

  // The deals of the call are the same, newest first.
  const byCall = (await Promise.all(Object.keys(markets).map((market) => listed(name, market)))).flat()
  const stream = deals.map(([id, time, , order, price, amount, fee, client, side, role]) =>
    JSON.stringify({ id, time, order, price, amount, fee, client, side: side === 1 ? 'sell' : 'buy', role }),
  )
  expect(byCall.toSorted()).toEqual(stream.toSorted())

  // Each finished order is the sum of its deals, in the stream and in the history.
  const executed = z.array(streamUpdates.ordersExecuted).parse(await readers[name].rest('ordersExecuted'))
  for (const [order] of executed) {
    const own = deals.filter((deal) => deal[3] === order.id)
    const sum = (value: (deal: Deal) => bigint) => own.reduce((total, deal) => total + value(deal), 0n)
    expect(atoms(order.deal_stock)).toBe(sum((deal) => atoms(deal[5])))
    expect(atoms(order.deal_money)).toBe(sum((deal) => (atoms(deal[4]) * atoms(deal[5])) / one))
    expect(atoms(order.deal_fee)).toBe(sum((deal) => atoms(deal[6])))
    expect(atoms(order.amount) - atoms(order.left)).toBe(atoms(order.deal_stock))
  }
  const traded = executed.flatMap(([order]) => (order.deal_stock === '0' ? [] : [order.id]))
  expect(new Set(traded)).toEqual(new Set(deals.map((deal) => deal[3])))

  // Money, by call and by stream.
  const [summary] = accepted(await venue[name].collateralSummary({ ticker: 'USDT' }))
  expect(atoms(summary?.balance ?? '')).toBe(standing.balance)
  const balances = z.array(streamUpdates.balanceMargin).parse(await readers[name].rest('balanceMargin'))
  const last = balances.at(-1)?.[0]
  expect(atoms(last?.B ?? '')).toBe(standing.balance)
  expect(last?.av).toBe(summary?.availableWithoutBorrow)

  // Positions, by call and by stream, and the free money behind them.
  const open = accepted(await venue[name].openPositions({}))
  const frames = z.array(streamUpdates.positionsMargin).parse(await readers[name].rest('positionsMargin'))
  expect(new Set(open.map(({ market }) => market))).toEqual(new Set(standing.positions.keys()))
  const records = frames.at(-1)?.records ?? []
  expect(records).toHaveLength(open.length)
  let free = standing.balance
  for (const position of open) {
    const { amount, cost } = standing.positions.get(position.market) ?? { amount: 0n, cost: 0n }
    const size = amount < 0n ? -amount : amount
    const worth = (size * (prices.get(position.market) ?? 0n)) / one
    const profit = amount > 0n ? worth - cost : cost - worth
    const margin = (cost + 4n) / 5n
    free += profit - margin
    expect(atoms(position.amount)).toBe(amount)
    expect(atoms(position.basePrice ?? '')).toBe(((cost * one) / size / 10n ** 10n) * 10n ** 10n)
    expect(atoms(position.unrealizedPnl ?? '')).toBe(profit)
    expect(atoms(position.margin ?? '')).toBe(margin)
    const record = records.find(({ id }) => id === position.positionId)
    expect(atoms(record?.amount ?? '')).toBe(amount)
    expect(atoms(record?.pnl ?? '')).toBe(profit)
    expect(atoms(record?.amount_in_money ?? '')).toBe(cost)
  }
  expect(atoms(summary?.availableWithoutBorrow ?? '')).toBe(free > 0n ? free : 0n)
}

async function listed(name: Name, market: string): Promise<string[]> {
  const all: string[] = []
  for (let offset = 0; ; offset += 500) {
    const deals = accepted(await venue[name].executedHistory({ market, limit: 500, offset }))
    if (!Array.isArray(deals)) throw new Error('a list was expected')
    for (const {
      id,
      time,
      order_id: order,
      price,
      amount,
      fee,
      client_order_id: client,
      side,
      role,
    } of deals) {
      all.push(JSON.stringify({ id, time, order, price, amount, fee, client, side, role }))
    }
    if (deals.length < 500) return all
  }
}

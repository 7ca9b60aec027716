import { expect, test } from 'vitest'
import { Exchange } from '#src/exchange/exchange.ts'
import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import { dealAt } from '#src/exchange/trading/orders/order-history.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { recordedOf, type RecordedPoint } from '#test/exchange/simulation/recorded-fixture.ts'
import { paperWorld } from '#test/exchange/exchange-fixture.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'
import { NaiveFills, naivePoints } from '#test/properties/models/naive-fills.ts'
import { seed, times } from '#test/properties/runs.ts'

/** The rules of the packaged world, repeated. */
const markets = {
  SOL_PERP: {
    tick: '0.01',
    lot: '0.1',
    minAmount: '0.1',
    minTotal: '5',
    makerFee: '0.0001',
    takerFee: '0.00035',
  },
  SOL_USDT: {
    tick: '0.01',
    lot: '0.001',
    minAmount: '0.01',
    minTotal: '5',
    makerFee: '0.001',
    takerFee: '0.001',
  },
}
type Name = keyof typeof markets
/** The naive model checks every millisecond of bars. */
const lengths = { trades: 300_000, bars: 20_000 }

/** A price that moves around 100 in steps of this many hundredths, sometimes beside them. */
function tradesOf(chance: Chance, step: number): RecordedPoint[] {
  const points: RecordedPoint[] = []
  const amount = chance.oneOf([
    () => Infinity,
    () => chance.below(100) / 10,
    () => chance.below(70_000) / 1000,
  ])
  for (let [at, price] = [0, 100]; at < lengths.trades; at += chance.percent(10) ? 0 : chance.below(2000)) {
    const units = chance.percent(95) ? price : price + chance.below(100) / 10_000
    points.push([at, Number(units.toFixed(4)), Number(amount().toFixed(3))])
    const away = step === 1 ? 20 : 1
    const steps = chance.below(2 * away + 1) - away + Math.round(((100 - price) / (step * away)) * 6)
    price = Number((price + (steps * step) / 100).toFixed(2))
  }
  return points
}

/** The same prices as points of bars. */
function barsOf(chance: Chance, step: number): RecordedPoint[] {
  const barMs = chance.oneOf([1000, 1601, 4750])
  const trades = tradesOf(chance, step).slice(0, 4 * Math.floor(lengths.bars / barMs))
  const after = [0, Math.floor(barMs / 4), barMs - Math.floor(barMs / 4), barMs - 1]
  return trades
    .slice(0, trades.length - (trades.length % 4))
    .map(([, price, amount = Infinity], place) => [
      Math.floor(place / 4) * barMs + (after[place % 4] ?? 0),
      price,
      amount,
    ])
}

/** One account's orders in a recorded market, for the exchange and for the naive model. */
function both(number: number, name: Name): { exchange: Exchange; naive: NaiveFills } {
  const chance = chanceOf(number)
  const fill = chance.oneOf(['touch', 'through', 'queue'] as const)
  // With large steps the price often reaches an order without passing it, and several orders have the same price.
  const step = chance.oneOf([1, 5, 20])
  const kind = chance.oneOf(['trades', 'bars'] as const)
  const points = kind === 'bars' ? barsOf(chance, step) : tradesOf(chance, step)
  const lengthMs = lengths[kind]
  const begin = 1_789_948_800_000
  const recorded = { files: [{ markets: [name], market: recordedOf(points, 100, kind) }], fill, moved: true }
  const exchange = new Exchange({
    world: paperWorld,
    seed: '',
    begin,
    sources: { seeded: false, recorded },
  })
  const moved = points.map(([at, price, amount]) => [begin + at, price, amount] as const)
  const naive = new NaiveFills(naivePoints(moved, kind === 'bars'), { fill, ...markets[name] })
  const endpoint = name === 'SOL_USDT' ? 'spotLimit' : 'collateralLimit'
  for (let [at, order] = [begin, 1]; at < begin + lengthMs; at += chance.below(lengthMs / 50)) {
    const write = (endpoint: string, parameters: Record<string, unknown>) =>
      exchange.redo({
        kind: 'write',
        at,
        account: 'paper',
        endpoint,
        parameters: { market: name, ...parameters },
      })
    if (chance.percent(25)) {
      const id = chance.below(order)
      write('cancelOrder', { client_order_id: `o.${id}` })
      naive.cancel(id, at)
    } else {
      // Buys below 100 and sells above it, so that the account never meets itself. Sells are limited to the holdings.
      const held = exchange.state.ledger.get('spot/paper')?.get('SOL') ?? 0n
      const buys = chance.percent(name === 'SOL_USDT' && held < 10n ** 20n ? 100 : 50)
      const price = (100 + (step * (1 + chance.below(80 / step)) * (buys ? -1 : 1)) / 100).toFixed(2)
      const amount = (0.1 * (1 + chance.below(chance.percent(80) ? 20 : 50))).toFixed(1)
      write(endpoint, { side: buys ? 'buy' : 'sell', price, amount, client_order_id: `o.${order}` })
      naive.place(order, buys, price, amount, at)
      order += 1
    }
  }
  exchange.advance(begin + 2 * lengthMs)
  naive.passTo(begin + 2 * lengthMs)
  return { exchange, naive }
}

/** In the form of the naive model. */
function dealsOf({ state, venue }: Exchange): string[] {
  const deals = state.accounts.get('paper')?.deals
  if (deals === undefined) throw new Error('the world has paper')
  return Array.from({ length: deals.count }, (_, place) => {
    const { clientId, at, lots, ticks, market } = dealAt(deals, place)
    const { amountText, priceText } = venue.trading.markets[market] ?? {}
    return `${clientId.slice(2)} ${at} ${amountText?.(lots)} at ${priceText?.(ticks)}`
  })
}

/** The gain: money and positions at the last price, less the start value. */
function gained({ state, venue }: Exchange): string {
  const moneyOf = (account: 'collateral/paper' | 'spot/paper') => balanceOf(state.ledger, account, 'USDT')
  let sum = moneyOf('collateral/paper') + moneyOf('spot/paper') - 100_000n * 10n ** 18n
  for (const { lots, cost, market } of state.accounts.get('paper')?.collateral.open ?? []) {
    const { atomsPerQuantum = 0n } = venue.trading.markets[market] ?? {}
    const worth = BigInt(lots) * BigInt(state.markets[market]?.mark ?? 0) * atomsPerQuantum
    sum += lots > 0 ? worth - cost : worth + cost
  }
  return `${sum < 0n ? '-' : ''}${formatAtoms(sum < 0n ? -sum : sum)}`
}

/** The resting orders, oldest first. */
function restingOf({ state, venue }: Exchange): string[] {
  const { orders } = state
  const resting: string[] = []
  for (let row = state.accounts.get('paper')?.oldest ?? 0; row !== 0; row = orders.newer[row] ?? 0) {
    const { amountText } = venue.trading.markets[orders.market[row] ?? 0] ?? {}
    resting.push(`${orders.clientId[row]?.slice(2)} ${amountText?.(orders.left[row] ?? 0)}`)
  }
  return resting
}

test.each(['SOL_PERP', 'SOL_USDT'] as const)('%s fills orders like the naive model', (name) => {
  let deals = 0
  for (let number = 0; number < times(60, 120, 3); number++) {
    const { exchange, naive } = both(seed + number, name)
    expect({ number, deals: dealsOf(exchange) }).toEqual({ number, deals: naive.deals })
    expect(restingOf(exchange)).toEqual(naive.resting)
    const sold = name === 'SOL_USDT'
    expect(gained(exchange)).toBe((sold ? naive.money : naive.worth).toFixed())
    const coins = balanceOf(exchange.state.ledger, 'spot/paper', 'SOL')
    expect(formatAtoms(coins)).toBe(sold ? naive.coins.toFixed() : '0')
    deals += naive.deals.length
  }
  expect(deals).toBeGreaterThan(times(1000, 1000, 50))
})

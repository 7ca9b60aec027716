import { describe, expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { readMarket } from '#src/market/data/read-market.ts'
import { marketFolder } from '#test/market/data/market-fixture.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { monday, tradesAt } from '#test/research/backtest/market/generated-market.ts'

const { fileOf } = marketFolder()

/** The rules of docs/strategy-reference.md and the assumptions of a result, each in a backtest. */
function strategy(ladder: string): string {
  return `
version: 1
name: rules
needs: [bulk, history, balance, cancel, conditional_orders]
markets: { btc: { symbol: BTC_PERP } }
feeds: { px: { source: candles, market: btc, interval: 1m, stale_after: 90s } }
ladder:
  one:
    market: btc
${ladder
  .trim()
  .split('\n')
  .map((line) => `    ${line.trim()}`)
  .join('\n')}
rules:
  - { id: place, when: last(px) > 0, do: [ensure: one] }
${guards}`
}

/** A price for each minute. */
function played(ladder: string, prices: readonly number[], more: Partial<BacktestInput> = {}) {
  return runBacktest({
    strategies: [{ path: 'rules.yaml', text: strategy(ladder) }],
    markets: new Map([
      ['', tradesAt(prices.map((price, minute) => ({ at: monday + minute * 60_000, price })))],
    ]),
    balance: '10000',
    fees: { maker: '0.001', taker: '0.002' },
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    ...more,
  })
}

const buy = `side: buy
anchor: 60000
levels: 1
spacing: { kind: arithmetic, first: 0.5%, step: 1% }
size: { total: 600 quote }`

const many = (price: number, minutes = 5) => Array.from({ length: minutes }, () => price)

const fillsOf = async (...parameters: Parameters<typeof played>) =>
  (await played(...parameters)).fills.map(({ side, price, amount, fee, maker }) => {
    return `${maker ? 'made' : 'took'} ${side} ${amount} at ${price} for ${fee}`
  })

const onTouch = /^A take profit \(mode on_touch_ioc, the default\).*pays the taker fee\.$/
const resting = 'Mirrors and a take profit with mode resting rest at their price.'

describe('exits', () => {
  // Bought at 59700; the target is 60297, and the price jumps beyond it.
  const path = [...many(60_000), ...many(59_000), ...many(60_500)]

  test('a take profit takes by default: at the last price, for the taker fee', async () => {
    const ladder = `${buy}\nexit: { tp: { pct: 1% } }`
    expect(await fillsOf(ladder, path)).toEqual([
      'made buy 0.01 at 59700 for 0.597',
      'took sell 0.01 at 60500 for 1.21',
    ])
    const { assumptions } = await played(ladder, path)
    expect(assumptions).toContainEqual(expect.stringMatching(onTouch))
    expect(assumptions).not.toContain(resting)
  })

  test('with mode resting it rests at its price, for the maker fee', async () => {
    const ladder = `${buy}\nexit: { tp: { pct: 1%, mode: resting } }`
    expect(await fillsOf(ladder, path)).toEqual([
      'made buy 0.01 at 59700 for 0.597',
      'made sell 0.01 at 60297 for 0.60297',
    ])
    const { assumptions } = await played(ladder, path)
    expect(assumptions).toContain(resting)
    expect(assumptions).not.toContainEqual(expect.stringMatching(onTouch))
  })

  test('a stop with mode resting takes at the price that reaches it, without a decision of the bot', async () => {
    const ladder = `${buy}\nexit: { stop: { pct: 1%, mode: resting }, cooldown: 1h }`
    // Bought at 59700, the stop is at 59103.
    const falling = [...many(60_000), ...many(59_600), 59_104, 59_000, ...many(60_500)]
    const { fills, assumptions } = await played(ladder, falling)
    expect(fills.map(({ at, side, price, maker }) => [at, side, price, maker])).toEqual([
      [expect.any(Number), 'buy', '59700', true],
      [monday + 11 * 60_000, 'sell', '59000', false],
    ])
    expect(assumptions).toContainEqual(
      expect.stringMatching(/^A stop with mode resting is a conditional order/),
    )
    expect(assumptions).not.toContainEqual(expect.stringMatching(onTouch))
  })

  test('a stop takes at the current price: a buy pays one tick more than the last price', async () => {
    const sell = buy.replace('side: buy', 'side: sell')
    const up = [...many(60_000), ...many(61_000), ...many(62_000)]
    // Sold at 60300; 2 % above it is 61506.
    expect(await fillsOf(`${sell}\nexit: { stop: { pct: 2% }, cooldown: 1h }`, up)).toEqual([
      'made sell 0.009 at 60300 for 0.5427',
      'took buy 0.009 at 62000.1 for 1.1160018',
    ])
  })
})

describe('a ladder without exits', () => {
  const path = [...many(60_000), ...many(59_000), ...many(60_000), ...many(59_000), ...many(60_000)]

  test('places each rung once', async () => {
    const { fills, assumptions } = await played(buy, path)
    expect(fills).toHaveLength(1)
    expect(assumptions).toContainEqual(expect.stringMatching(/places each rung once/))
  })

  test('with rebase drift quotes a rung again min_gap after its fill', async () => {
    const ladder = `${buy}\nrebase: { drift: 1%, min_gap: 90s }`
    const { fills, assumptions } = await played(ladder, path)
    expect(fills.length).toBeGreaterThan(1)
    const [first, second] = fills
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(90_000)
    expect(assumptions).toContainEqual(expect.stringMatching(/places all rungs again min_gap after a fill/))
  })

  test('with rebase on_flat quotes its rungs again when its position is zero', async () => {
    const both = buy.replace('side: buy', 'side: both').replace('600 quote', '1200 quote')
    const flat = `${both.replace('total: 1200 quote', 'total: 0.02 base')}\nrebase: on_flat`
    // It buys 0.01 at 59700 and sells 0.01 at 60300, twice.
    const twice = [...path.slice(0, 10), ...many(61_000), ...many(60_000), ...many(59_000)]
    expect(await fillsOf(flat, twice)).toEqual([
      'made buy 0.01 at 59700 for 0.597',
      'made sell 0.01 at 60300 for 0.603',
      'made buy 0.01 at 59700 for 0.597',
    ])
    const { assumptions } = await played(flat, twice)
    expect(assumptions).toContainEqual(expect.stringMatching(/when its position is back at zero/))
  })
})

test('with min_life each order rests so long before the ladder moves it', async () => {
  const rising = Array.from({ length: 20 }, (_, minute) => 60_000 + 200 * minute)
  const ordersWith = async (life: string) => {
    const following = buy.replace('anchor: 60000', 'anchor: last(px)')
    return (await played(`${following}\nrebase: { drift: 0.1%, min_gap: 10s${life} }`, rising)).summary.orders
  }
  // The first candle closes after a minute, and each later one moves the ladder.
  expect(await ordersWith('')).toBe(18)
  expect(await ordersWith(', min_life: 3m')).toBe(6)
})

test('two sides share the total, and flat weights give each rung the same money', async () => {
  const text = `side: both
anchor: 60000
levels: 2
spacing: { kind: geometric, first: 1%, step: 10% }
size: { total: 4000 quote }`
  const { rungs, assumptions } = await played(text, many(60_000))
  // Each gap is a share of the rung before it: 10 % below 59400 is 53460, 10 % above 60600 is 66660.
  expect(Object.fromEntries(rungs.map(({ id, price }) => [id, price]))).toEqual({
    'rules.one.b1': '59400',
    'rules.one.b2': '53460',
    'rules.one.s1': '60600',
    'rules.one.s2': '66660',
  })
  const moved = [...many(60_000), ...many(53_000), ...many(67_000)]
  const { fills } = await played(text, moved, { balance: '100000' })
  for (const { price, amount } of fills)
    expect(Math.abs(Number(price) * Number(amount) - 1000)).toBeLessThan(70)
  expect(fills).toHaveLength(4)
  expect(assumptions).toContainEqual(expect.stringMatching(/for the rungs of both sides together/))
  expect(assumptions).toContainEqual(expect.stringMatching(/geometric compounds/))
})

test('a size in quote is constant, and a size in equity is computed for each episode', async () => {
  const path = [...many(60_000), ...many(59_000), ...many(90_000), ...many(59_000)]
  const bought = async (size: string) => {
    const ladder = `${buy.replace('600 quote', size)}\nexit: { tp: { pct: 1% } }`
    const { fills } = await played(ladder, path, { fees: { maker: '0', taker: '0' } })
    return fills.filter(({ side }) => side === 'buy').map(({ amount }) => amount)
  }
  expect(await bought('600 quote')).toEqual(['0.01', '0.01'])
  // The profit is 0.083 x (90000 - 59700) = 2514.9: half of 12514.9 is 6257.45, which buys 0.104 at 59700.
  expect(await bought('50% equity')).toEqual(['0.083', '0.104'])
})

const hourly = (text: string) =>
  text.replace('interval: 1m, stale_after: 90s', 'interval: 1h, stale_after: 2h')

describe('inside of a bar', () => {
  const hour = 3_600_000
  const rows = [0, 1, 2, 3].map(
    (bar) => `${(monday + bar * hour) / 1000},60000,60100,${bar === 2 ? 59000 : 59900},60000,0.02`,
  )
  const bars = () => readMarket(fileOf(`timestamp,open,high,low,close,volume\n${rows.join('\n')}\n`))
  const on = (ladder: string) =>
    played(ladder, many(1), {
      strategies: [{ path: 'rules.yaml', text: hourly(strategy(ladder)) }],
      markets: new Map([['', bars()]]),
    })

  test('the price moves in straight lines, and each line has a quarter of the volume', async () => {
    const { fills, assumptions } = await on(buy)
    // The high is nearer to the open: the price falls from 60100 to 59000 between one and three quarters.
    const falls = Math.ceil(0.25 * hour + (400 / 1100) * 0.5 * hour)
    expect(fills.map(({ at, amount, price }) => [at - monday - 2 * hour, amount, price])).toEqual([
      [falls, '0.005', '59700'],
      // The rest fills on the next line, which begins below its price.
      [0.75 * hour + 1, '0.005', '59700'],
    ])
    expect(assumptions).toContain(
      'Inside a bar the price moves in straight lines over time: from the open to the nearer of high and low after a ' +
        'quarter of it, to the other one after three quarters, and to the close 1 ms before its end. Only an open jumps.',
    )
  })

  test('an exit on touch triggers when the price reaches it, and takes the price after the latency', async () => {
    const small = buy.replace('600 quote', '120 quote')
    const { fills } = await on(`${small}\nexit: { tp: { pct: 0.1% } }`)
    expect(fills.map(({ side }) => side)).toEqual(['buy', 'sell'])
    // 0.1 % above 59700 is 59759.7, and the bid is the nearest tick; the last quarter but 1 ms goes from 59000 to 60000.
    const reached = 0.75 * hour + (759.65 / 1000) * (0.25 * hour - 1)
    const sold = fills[1]
    expect((sold?.at ?? 0) - monday - 2 * hour).toBe(Math.ceil(reached) + 50)
    // In 50 ms the price rises by 0.056, to 59759.706.
    expect(sold?.price).toBe('59759.7')
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import type { HistoricalMarket } from '#src/market/data/historical-market.ts'
import { runs } from '#test/properties/runs.ts'
import { guards } from '#test/strategy/required-limits.ts'
import { chanceOf, monday, ratesAt } from '#test/research/backtest/market/generated-market.ts'
import { average } from './naive-average.ts'
import { grid, type TraderOutcome, type TraderPoint } from './naive-trader.ts'

const minuteMs = 60_000
const latencyMs = 50

type Course = { seed: number; price: number; jump: number; most: number }

/** Trades some seconds apart, the price still for the first minute, each of up to so many lots. */
function courseOf({ seed, price, jump, most }: Course, minutes: number): TraderPoint[] {
  const chance = chanceOf(seed)
  const points: TraderPoint[] = []
  let ticks = price
  for (let at = monday; at < monday + minutes * minuteMs; at += 1000 + Math.floor(chance() * 4000)) {
    if (at > monday + minuteMs) ticks = Math.max(1, Math.round(ticks * (1 + (chance() - 0.5) * jump)))
    points.push({ at, ticks: BigInt(ticks), lots: BigInt(1 + Math.floor(chance() * most)) })
  }
  return points
}

type Digits = { priceDigits: number; amountDigits: number }

function marketOf(points: readonly TraderPoint[], { priceDigits, amountDigits }: Digits): HistoricalMarket {
  const [at, units, amounts] = [
    points.map((point) => point.at),
    points.map(({ ticks }) => Number(ticks) * 10 ** (9 - priceDigits)),
    points.map(({ lots }) => Number(lots) * 10 ** (9 - amountDigits)),
  ].map((column) => Float64Array.from(column))
  if (!at || !units || !amounts) throw new Error('three columns')
  const [low, high] = [Math.min(...units), Math.max(...units)]
  const count = points.length
  const quiet = { gaps: 0, gapPlaces: [], duplicates: 0, notes: [] }
  return {
    name: undefined,
    print: 'made by chance',
    kind: 'trades',
    barMs: undefined,
    beginsAt: monday,
    seen: { rows: count, points: count, endsAt: at[count - 1] ?? monday, low, high, ...quiet },
    blocks: () => [{ count, at, units, amounts, low, high }].values(),
  }
}

const gridText = `
version: 1
name: og
needs: [bulk, history, balance]
markets: { btc: { symbol: BTC_USDT } }
feeds: { px: { source: candles, market: btc, interval: 1m, stale_after: 90s } }
ladder:
  grid:
    market: btc
    side: both
    anchor: 60000
    levels: 13
    spacing: { kind: range, from: 57000, to: 63000 }
    size: { total: 1200 quote }
    exit: { mirror: 1 }
rules:
  - { id: place, when: last(px) > 0, do: [ensure: grid] }
${guards}`

const perpetualText = gridText.replace('BTC_USDT', 'BTC_PERP').replace('1200 quote', '12000 quote')

const averageText = `
version: 1
name: oa
needs: [bulk, history, balance]
markets: { sol: { symbol: SOL_USDT } }
feeds: { px: { source: candles, market: sol, interval: 1m, stale_after: 90s } }
let: { price: last(px) }
ladder:
  deep:
    market: sol
    side: buy
    anchor: price at episode_start
    rebase: on_flat
    levels: 6
    spacing: { kind: arithmetic, first: 0.4%, step: 0.3% }
    size: { total: 600 quote }
    exit: { tp: { pct: 0.6% } }
rules:
  - { id: start, when: position(sol) == 0, do: [ensure: deep] }
${guards}`

async function played(
  text: string,
  market: HistoricalMarket,
  { fill, funding }: Pick<BacktestInput, 'fill' | 'funding'>,
): Promise<TraderOutcome> {
  const strategies = [{ path: 'oracle.yaml', text }]
  const { fills, summary } = await runBacktest({
    strategies,
    markets: new Map([['', market]]),
    ...(funding && { funding }),
    latencyMs,
    fill,
    seed: 'o',
  })
  return {
    fills: fills.map(({ at, side, price, amount, fee, maker }) => ({ at, side, price, amount, fee, maker })),
    profit: summary.netProfit,
    fees: summary.fees,
    funding: summary.funding,
  }
}

const course = (price: number, jump: number) =>
  fc.record({
    seed: fc.nat(1e9),
    price: fc.constant(price),
    jump: fc.constantFrom(jump / 2, jump, jump * 2),
    most: fc.constantFrom(500, 5000, 1e6),
  })
const way = fc.constantFrom('touch' as const, 'through' as const)

type Rules = Parameters<typeof grid>[1]

/** Plays markets by chance, and has somebody else count out what should come of each. Gives all fills of theirs. */
async function expectSame(about: {
  text: string
  priceDigits?: number
  amountDigits: number
  /** Of makers, in millionths. */
  makerFee?: bigint
  paysFunding?: boolean
  /** Where the market begins, in ticks. */
  price: number
  count: (points: readonly TraderPoint[], rules: Rules) => TraderOutcome
  /** Markets in which something happens that comes once in thousands: they are played in any case. */
  rare?: [Course, 'touch' | 'through'][]
}): Promise<TraderOutcome['fills']> {
  const { text, priceDigits = 2, amountDigits, makerFee = 1000n, paysFunding = false, price, count } = about
  const { rare = [] } = about
  const least = 5n * 10n ** BigInt(priceDigits + amountDigits)
  const rules = { priceDigits, amountDigits, makerFee, takerFee: 1000n, latencyMs, least }
  const fills: TraderOutcome['fills'] = []
  const payments: string[] = []
  await fc.assert(
    fc.asyncProperty(course(price, 0.002), way, async (course, fill) => {
      const points = courseOf(course, 60)
      const paid = paysFunding ? ratesOf(course.seed, points) : []
      const expected = count(points, { ...rules, touch: fill === 'touch', funding: paid })
      const market = marketOf(points, { priceDigits, amountDigits })
      expect(
        await played(text, market, { fill, ...(paysFunding && { funding: new Map([['', ratesAt(paid)]]) }) }),
      ).toEqual(expected)
      payments.push(expected.funding)
      fills.push(...expected.fills)
    }),
    { ...runs(20, 400, 20), examples: rare },
  )
  expect(payments.some((each) => each !== '0')).toBe(paysFunding)
  return fills
}

/** At moments at which something trades as well as at others. */
function ratesOf(seed: number, points: readonly TraderPoint[]): { at: number; rate: number }[] {
  const chance = chanceOf(seed + 1)
  return points
    .filter(() => chance() < 0.05)
    .map(({ at }) => ({
      at: at + (chance() < 0.5 ? 0 : Math.floor(chance() * 900)),
      rate: Math.round((chance() - 0.5) * 4_000_000),
    }))
}

const from = monday + minuteMs

test('a grid fills where, when and for what somebody else counts out, and nothing of the money is missing', async () => {
  const lines = { middle: 6_000_000n, step: 50_000n, each: 6, quanta: 100n * 10n ** 8n, from }
  const fills = await expectSame({
    text: gridText,
    amountDigits: 6,
    price: 6_000_000,
    count: (points, rules) => grid(points, rules, lines),
    // The volume is small: the price passes an order before it fills, and a later order of the same grid trades with it.
    // In the second one, a part that is too small for an order of its own fills while nine mirrors of its line are there.
    rare: [7, 652_194_759].map((seed) => [{ seed, price: 6_000_000, jump: 0.004, most: 500 }, 'touch']),
  })
  expect(fills.length).toBeGreaterThan(100)
})

test('a grid on a perpetual pays and receives the funding that somebody else counts out', async () => {
  const lines = { middle: 600_000n, step: 5000n, each: 6, quanta: 1000n * 10n ** 4n, from }
  await expectSame({
    text: perpetualText,
    priceDigits: 1,
    amountDigits: 3,
    makerFee: 100n,
    paysFunding: true,
    price: 600_000,
    count: (points, rules) => grid(points, rules, lines),
  })
})

test('a ladder that averages down buys and sells where, when and for what somebody else counts out', async () => {
  const rungs = { first: 4n, apart: 3n, levels: 6, quanta: 100n * 10n ** 5n, gain: 6n, from }
  // A ladder is laid anew beyond the price: in one market all of its levels still have an order, in the other one some.
  // In the third one, a position becomes large enough for an order when the price rises beyond the take profit.
  const beyond = [1481, 190_054_489, 89_211_725].map((seed) => ({
    seed,
    price: 15_000,
    jump: 0.004,
    most: 500,
  }))
  const fills = await expectSame({
    text: averageText,
    amountDigits: 3,
    price: 15_000,
    count: (points, rules) => average(points, rules, rungs),
    rare: beyond.map((course) => [course, 'touch']),
  })
  expect(fills.filter(({ side }) => side === 'sell').length).toBeGreaterThan(20)
})

import { expect, test } from 'vitest'
import type { DepthEvent } from '#src/engine/depth-event.ts'
import type { HistoricalBooks } from '#src/market/data/historical-market.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import { booksAt, booksIn, madeBooks, type MadeBook } from '#test/research/backtest/market/generated-books.ts'
import { gapped, madeBars, madeTrades, monday } from '#test/research/backtest/market/generated-market.ts'
import { depthStrategy } from '#test/research/backtest/market/depth-strategy.ts'

const secondMs = 1000
const minuteMs = 60_000
const walk = { seed: 7, minutes: 10, price: 60_000, digits: 1, pace: 0.002, from: monday }

function inputOf(depth: HistoricalBooks | undefined, about: Partial<BacktestInput> & { text?: string } = {}) {
  const { text = depthStrategy(), ...rest } = about
  return {
    strategies: [{ path: 'books.yaml', text }],
    markets: new Map([['BTC_PERP', madeBars(walk)]]),
    ...(depth && { depth: new Map([['', depth]]) }),
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    ...rest,
  } satisfies BacktestInput
}

/** The order books that the bot receives, when expressions know the values, and what the result says of them. */
async function played(input: BacktestInput) {
  const stage = await openSimulation(input)
  const events: DepthEvent[] = []
  const fired: [seconds: number, rule: string][] = []
  const journal: typeof stage.journal = {
    ...stage.journal,
    append: (event, step) => {
      if (event.kind === 'depth') events.push(event)
      for (const note of step.notes)
        if (note.type === 'rule-fired') fired.push([(event.at - monday) / secondMs, note.rule])
    },
  }
  const result = await runSimulation({ ...stage, journal })
  return { events, fired, result, unknown: result.assumptions.filter((text) => /unknown|stale/.test(text)) }
}

const level = (price: number, amount: number) => [price, amount] as const
const book = (ms: number, bid: number, ask = 1): MadeBook => ({
  at: monday + ms,
  bids: [level(60_000, bid), level(59_970, 2), level(59_940, 0.5), level(59_900, 9)],
  asks: [level(60_000.1, ask), level(60_100, 5)],
})

const best = (bid: string, ask: string, bids: string, asks: string) => ({
  bids: { price: '60000', amount: bid, volume: bids },
  asks: { price: '60000.1', amount: ask, volume: asks },
})

/** A result says so if the books end before the backtest does. */
const withoutEnd = (from: string) =>
  ['deep', 'two'].map(
    (feed) =>
      `books: ${feed} is unknown from 2026-01-05T${from}.000Z to 2026-01-05T00:10:00.000Z: its file has no rows there.`,
  )

test('a poll at each second finds the last book since the poll before it, for each distance', async () => {
  const books = booksAt([book(-300, 8), book(1200, 3, 0.5), book(1900, 4), book(3000, 5)], 4)
  const { events, unknown } = await played(inputOf(books))
  const seen = events.map(({ at, bids, asks, ...rest }) => {
    const reach = 'levels' in rest ? { levels: rest.levels } : { within: rest.within }
    return [(at - monday) / secondMs, { ...reach, bids, asks }]
  })
  expect(seen).toEqual([
    // 0.1 % below 60000 is 59940, which is included.
    [0, { within: '0.001', ...best('8', '1', '10.5', '1') }],
    [0, { levels: 2, ...best('8', '1', '10', '6') }],
    [2, { within: '0.001', ...best('4', '1', '6.5', '1') }],
    [2, { levels: 2, ...best('4', '1', '6', '6') }],
    [3, { within: '0.001', ...best('5', '1', '7.5', '1') }],
    [3, { levels: 2, ...best('5', '1', '7', '6') }],
  ])
  expect(unknown).toEqual(withoutEnd('00:00:08'))
})

test('the last book holds until the feed is stale, and a rule waits while it is unknown', async () => {
  const times = [1000, 20_000, 22_000, 25_000, 29_000]
  const books = booksAt(
    times.map((ms) => book(ms, 8)),
    4,
  )
  const text = depthStrategy({
    feed: 'within: 0.1%, stale_after: 3s',
  }).replace('risk:', "  - { id: known, when: 'imbalance(deep) > -2', for: 4s, do: [alert: known] }\nrisk:")
  const { fired } = await played(inputOf(books, { text }))
  // The book of 1 s is stale before the rule was true for 4 s; those from 20 s on follow each other.
  const known = fired.filter(([, rule]) => rule === 'known')
  expect(known.map(([seconds]) => seconds)).toEqual([24])
})

test('a book that does not reach as far as the feed reads is no value of the feed, and the result says so', async () => {
  const short = { at: monday + 2000, bids: [level(60_000, 1), level(59_990, 1)], asks: [level(60_001, 1)] }
  const near = { at: monday + 3000, bids: [level(60_000, 1), level(59_000, 1)], asks: [level(60_001, 1)] }
  const { events, unknown } = await played(
    inputOf(booksAt([short, near], 2), { text: depthStrategy({ other: 'levels: 3' }) }),
  )
  expect(events.map(({ at, ...rest }) => [at - monday, 'within' in rest ? 'within' : 'levels'])).toEqual([
    [3000, 'within'],
  ])
  const [deepEnd, twoEnd] = withoutEnd('00:00:08')
  expect(unknown).toEqual([
    deepEnd,
    'books: the values of deep are unknown in 1 of 2 order books, which do not reach as far as 0.1 %.',
    twoEnd,
    'books: the values of two are unknown in 2 of 2 order books, which do not reach as far as 3 levels.',
  ])
})

test('an empty side has no volume', async () => {
  const { events } = await played(
    inputOf(booksAt([{ at: monday + 500, bids: [], asks: [level(60_001, 1)] }], 2)),
  )
  expect(events[0]).toMatchObject({ bids: null, asks: { price: '60001', amount: '1', volume: '1' } })
})

test('in a gap of the market file no poll succeeds', async () => {
  const market = gapped(madeTrades(walk, 700), { everyMs: 5 * minuteMs, ms: 100_000 })
  const every = Array.from({ length: 600 }, (_, second) => book(second * secondMs, 1 + (second % 7)))
  const markets = new Map([['BTC_PERP', market]])
  const { events, unknown } = await played(inputOf(booksAt(every, 4), { markets }))
  const seconds = new Set(events.map(({ at }) => (at - monday) / secondMs))
  // The last trade before the gap comes before 200 s, and the first one after it at 300 s or later.
  const missing = every.map(({ at }) => (at - monday) / secondMs).filter((second) => !seconds.has(second))
  expect(missing.length).toBeGreaterThan(95)
  for (const second of missing) expect((second - 1) % 300).toBeGreaterThanOrEqual(198)
  // The file has rows in the gaps, also in the one at the end.
  expect(unknown.join()).not.toContain('no rows')
})

test('books from before the start are no values, and those of a minute apart are stale between each other', async () => {
  const sparse = Array.from({ length: 10 }, (_, minute) => book(minute * minuteMs, 3))
  const { events, unknown } = await played(inputOf(booksAt(sparse, 4), { from: monday + 90_000 }))
  expect(events[0]?.at).toBe(monday + 120_000)
  expect(unknown).toEqual(
    ['deep', 'two'].map(
      (feed) =>
        `books: ${feed} is stale between rows: the rows of its file are 60 s apart on average, ` +
        'and it is stale after 5 s (stale_after).',
    ),
  )
})

test.each([
  ['the start', 300, 600, ['00:00:00.000Z to 2026-01-05T00:05:00']],
  ['the end', 0, 300, ['00:05:04.000Z to 2026-01-05T00:10:00']],
  ['both', 120, 300, ['00:00:00.000Z to 2026-01-05T00:02:00', '00:05:04.000Z to 2026-01-05T00:10:00']],
  ['neither', 4, 597, []],
])('books that lack %s of the period are named with the missing part', async (_, first, end, parts) => {
  const every = Array.from({ length: end - first }, (__, second) => book((first + second) * secondMs, 3))
  const { unknown } = await played(inputOf(booksAt(every, 4)))
  const spans = parts.map((part) => `from 2026-01-05T${part}.000Z`).join(' and ')
  expect(unknown).toEqual(
    parts.length === 0
      ? []
      : ['deep', 'two'].map((feed) => `books: ${feed} is unknown ${spans}: its file has no rows there.`),
  )
})

test('a file of another time is named', async () => {
  const { events, unknown } = await played(inputOf(booksAt([book(-minuteMs, 1), book(60 * minuteMs, 1)], 4)))
  expect(events).toEqual([])
  expect(unknown).toEqual(
    ['deep', 'two'].map((feed) => `books: ${feed} is unknown: its file has no rows in this period.`),
  )
})

test('a result names the file of order books by its fingerprint, and without one the feed is unknown', async () => {
  const { result } = await played(
    inputOf(madeBooks({ seed: 1, price: 60_000, from: monday, to: monday + minuteMs })),
  )
  expect(result.market[0]).toMatchObject({ symbol: 'BTC_PERP', depth: 'made by chance' })
  expect(result.assumptions).toContain(
    'Feeds of depth read the last order book of each second of their file.',
  )
  const without = await played(inputOf(undefined))
  expect(without.events).toEqual([])
  expect(without.result.market[0]).not.toHaveProperty('depth')
  expect(without.unknown.toSorted()).toEqual(
    ['ask_volume(two)', 'bid_volume(two)', 'imbalance(deep)', 'micro_price(deep)'].map(
      (call) => `books: ${call} is unknown: market files have no order book, --depth FILE gives it.`,
    ),
  )
})

test('the order books of another market are refused', async () => {
  const depth = new Map([['ETH_PERP', booksAt([book(0, 1)])]])
  await expect(openSimulation(inputOf(undefined, { depth }))).rejects.toThrow(
    'the file of --depth is the order book of ETH_PERP, and the strategies trade BTC_PERP',
  )
})

test('the events are those that the file gives for each second, whatever comes between', async () => {
  const books = madeBooks({ seed: 12, price: 60_000, from: monday, to: monday + 10 * minuteMs })
  const { events } = await played(inputOf(books, { text: depthStrategy({ feed: 'levels: 1' }) }))
  const seconds = new Map(
    booksIn(books).map(({ at, bids, asks }) => [Math.ceil(at / secondMs) * secondMs, { bids, asks }]),
  )
  const own = events.filter((event) => 'levels' in event && event.levels === 1)
  expect(own.length).toBeGreaterThan(30)
  const expected = [...seconds].filter(([at]) => at >= monday && at < monday + 10 * minuteMs)
  expect(own.map(({ at, bids, asks }) => [at, Number(bids?.price ?? 0), Number(asks?.amount ?? 0)])).toEqual(
    expected.map(([at, { bids, asks }]) => [at, bids?.[0]?.[0] ?? 0, asks?.[0]?.[1] ?? 0]),
  )
})

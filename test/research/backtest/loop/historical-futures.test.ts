import { expect, test } from 'vitest'
import type { FuturesEvent } from '#src/engine/futures-event.ts'
import type { Funding } from '#src/market/data/historical-market.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import { listingAt } from '#test/research/backtest/market/generated-books.ts'
import { madeBars, monday, ratesAt } from '#test/research/backtest/market/generated-market.ts'
import { futuresStrategy } from '#test/strategy/futures-strategy.ts'

const minuteMs = 60_000
const bars = madeBars({ seed: 7, minutes: 60, price: 60_000, digits: 1, pace: 0.002, from: monday })

function inputOf(text: string, rates?: Funding['rates'], symbol = 'BTC_PERP'): BacktestInput {
  return {
    strategies: [{ path: 'futent.yaml', text }],
    markets: new Map([[symbol, bars]]),
    ...(rates && { funding: new Map([[symbol, ratesAt(rates)]]) }),
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
  }
}

/** The lists that the bot receives, and what the result says of them. */
async function listed(input: BacktestInput) {
  const stage = await openSimulation(input)
  const events: FuturesEvent[] = []
  const journal: typeof stage.journal = {
    ...stage.journal,
    append: (event) => void (event.kind === 'futures' && events.push(event)),
  }
  const { assumptions } = await runSimulation({ ...stage, journal })
  return { events, unknown: assumptions.filter((text) => /is unknown|is stale/.test(text)) }
}

/** Minutes from the start, and seconds in them. */
const timesOf = (events: readonly FuturesEvent[]) => events.map(({ at }) => (at - monday) / minuteMs)

test('a rate is known from the time at which it was calculated, and its payment from the payment before', async () => {
  const rates = [
    { at: monday + 10 * minuteMs, rate: 10_000, calculatedAt: monday - minuteMs },
    { at: monday + 20 * minuteMs, rate: -20_000, calculatedAt: monday + 12 * minuteMs + 3000 },
    { at: monday + 30 * minuteMs, rate: 30_000, calculatedAt: monday + 30 * minuteMs },
    { at: monday + 40 * minuteMs, rate: 40_000, calculatedAt: monday + 15 * minuteMs },
  ]
  const { events, unknown } = await listed(inputOf(futuresStrategy({}), rates))
  const [from = NaN] = timesOf(events)
  expect(events.map(({ at, funding, fundingAt }) => [at, funding, fundingAt])).toEqual([
    [monday + from * minuteMs, 0.0001, rates[0]?.at],
    [monday + 10 * minuteMs, null, rates[1]?.at],
    // The poll after the moment of the calculation.
    [monday + 12 * minuteMs + 10_000, -0.0002, rates[1]?.at],
    // Known only when it is paid, and from then on the next one is.
    [monday + 20 * minuteMs, null, rates[2]?.at],
    [monday + 30 * minuteMs, 0.0004, rates[3]?.at],
    [monday + 40 * minuteMs, null, null],
  ])
  expect(unknown).toEqual([])
})

test('a file that does not say when rates were known gives the times of payments, and the result says so', async () => {
  const rates = [{ at: monday + 10 * minuteMs, rate: 10_000 }]
  const { events, unknown } = await listed(inputOf(futuresStrategy({}), rates))
  expect(events.map(({ funding, fundingAt }) => [funding, fundingAt])).toEqual([
    [null, rates[0]?.at],
    [null, null],
  ])
  expect(unknown).toEqual([
    'futent: funding(fut) is unknown: by-chance.csv has no column rate_calculated_time, which states when each rate was known.',
  ])
})

test('without a file of rates, and for open interest, the result names each unknown function', async () => {
  const cheap = 'open_interest(fut) > 5 && funding(fut) < 0'
  const { events, unknown } = await listed(inputOf(futuresStrategy({ cheap })))
  expect(events.map(({ funding, fundingAt, openInterest }) => [funding, fundingAt, openInterest])).toEqual([
    [null, null, null],
  ])
  expect(unknown.toSorted()).toEqual([
    'futent: funding(fut) is unknown: --funding FILE gives the rates.',
    'futent: funding_hours(fut) is unknown: --funding FILE gives the rates.',
    'futent: open_interest(fut) is unknown: market files have no open interest, --futures FILE gives it.',
  ])
})

test('mark and index price come every ten seconds in which they changed, as the venue answers them then', async () => {
  const input = inputOf(futuresStrategy({ cheap: 'mark(fut) / last(px) - 1 > 0.0005' }))
  const { events } = await listed(input)
  expect(events.length).toBeGreaterThan(100)
  for (const { at } of events.slice(1)) expect(at % 10_000).toBe(0)
  for (const [index, { mark }] of events.slice(1).entries()) expect(mark).not.toBe(events[index]?.mark)
  const { still, trading } = await openSimulation({ ...input, latencyMs: 0 })
  for (const { at, market, mark, index } of events) {
    still.clock.turnTo({ now: at, monotonic: at - monday })
    const answer = await trading.market.futures()
    const found = answer.kind === 'read' ? answer.value.get(market) : undefined
    expect(found).toMatchObject({ mark, index })
  }
})

test('a feed of a spot market is refused: no venue lists it', async () => {
  const text = futuresStrategy({ market: 'BTC_USDT' })
  await expect(listed(inputOf(text, undefined, 'BTC_USDT'))).rejects.toThrow(
    'futent reads futures of BTC_USDT (fut), which is not a perpetual',
  )
})

const allValues = 'open_interest(fut) > 5 && mark(fut) > 0 && index(fut) > 0 && funding(fut) < 0'

test('a file of futures gives all values, each row at the next multiple of ten seconds', async () => {
  const fundingAt = monday + 30 * minuteMs
  const rows = [
    { at: monday - 5000, mark: 1, index: 2, openInterest: 3, funding: -0.0001, fundingAt },
    { at: monday + 10_000, mark: 60_001, index: 60_000.5, openInterest: 90, funding: 0.0002, fundingAt },
    { at: monday + 14_000, mark: 60_002, index: 60_003, openInterest: 91, funding: 0.0003, fundingAt },
    { at: monday + 51_000, mark: 60_004, index: 60_005, openInterest: 92, funding: 0, fundingAt },
  ]
  const futures = new Map([['', listingAt(rows)]])
  const { events, unknown } = await listed({ ...inputOf(futuresStrategy({ cheap: allValues })), futures })
  const polls = [0, 10_000, 20_000, 60_000]
  expect(events).toEqual(
    rows.map((row, place) => {
      const at = monday + (polls[place] ?? 0)
      return Object.assign({ kind: 'futures', market: 'BTC_PERP' }, row, { at })
    }),
  )
  expect(unknown).toEqual([
    'futent: fut is unknown from 2026-01-05T00:01:30.000Z to 2026-01-05T01:00:00.000Z: its file has no rows there.',
  ])
})

test('what a row does not state is as without the file: the price of the market, and the file of funding rates', async () => {
  const rows = Array.from({ length: 4 }, (_, place) => ({ at: monday + place * 60_000, openInterest: place }))
  const rates = [{ at: monday + 10 * minuteMs, rate: 10_000, calculatedAt: monday + 65_000 }]
  const futures = new Map([['BTC_PERP', listingAt(rows, ['openInterest'])]])
  const input = { ...inputOf(futuresStrategy({ cheap: allValues }), rates), futures }
  const { events, unknown } = await listed(input)
  expect(events.map(({ funding, fundingAt, openInterest }) => [funding, fundingAt, openInterest])).toEqual([
    [null, rates[0]?.at, 0],
    [null, rates[0]?.at, 1],
    [0.0001, rates[0]?.at, 2],
    [0.0001, rates[0]?.at, 3],
  ])
  const [block] = bars.blocks()
  // The price at the beginning of a minute is its open.
  expect(events.map(({ mark }) => mark)).toEqual(
    [0, 4, 8, 12].map((place) => (block?.units[place] ?? 0) / 1e9),
  )
  expect(unknown).toEqual([
    'futent: fut is unknown from 2026-01-05T00:03:30.000Z to 2026-01-05T01:00:00.000Z: its file has no rows there.',
    'futent: fut is stale between rows: the rows of its file are 60 s apart on average, ' +
      'and it is stale after 30 s (stale_after).',
  ])
})

test('a file of futures without a column of open interest says so', async () => {
  const futures = new Map([['', listingAt([{ at: monday, mark: 60_000 }], ['mark'])]])
  const { unknown } = await listed({
    ...inputOf(futuresStrategy({ cheap: 'open_interest(fut) > 5' })),
    futures,
  })
  expect(unknown).toContain(
    'futent: open_interest(fut) is unknown: listed.csv has no values of open_interest.',
  )
})

test('a file of futures needs a perpetual', async () => {
  const futures = new Map([['BTC_USDT', listingAt([{ at: monday, mark: 60_000 }])]])
  await expect(listed({ ...inputOf(futuresStrategy({})), futures })).rejects.toThrow(
    'made/listed.csv is about BTC_USDT, and the strategies trade BTC_PERP',
  )
})

import { expect, test } from 'vitest'
import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import { madeBars } from '#test/research/backtest/market/generated-market.ts'

/** How many events of each kind some minutes have. The ladder buys once at the beginning, and keeps what it has bought. */
async function eventsOf(
  when: string,
  about: { total?: string; feeds?: string; minutes?: number; exit?: string } = {},
) {
  const { total = '1000 quote', feeds = '', minutes = 1440, exit = '' } = about
  const text = `
version: 1
name: held
markets: { btc: BTC_PERP }
${feeds}
ladder:
  grid:
    market: btc
    side: buy
    anchor: 61000
    levels: 2
    spacing: { kind: offsets, at: [0%, 50%] }
    size: { total: ${total} }
    ${exit}
rules:
  - { id: go, when: '${when}', do: [ensure: grid] }
risk:
  max_notional: { total: 1000000 }
  worst_case: { move: -5%, max_loss: 1000000 }
  drawdown: { pause: 90%, halt: 95% }
`
  const stage = await openSimulation({
    strategies: [{ path: 'held.yaml', text }],
    markets: new Map([['BTC_PERP', madeBars({ seed: 4, minutes, price: 60_000, pace: 0.0005 })]]),
    latencyMs: 50,
    fill: 'through',
    seed: 'evaluations',
  })
  const counts: Record<string, number> = {}
  const { summary } = await runSimulation({
    ...stage,
    journal: { ...stage.journal, append: ({ kind }) => void (counts[kind] = (counts[kind] ?? 0) + 1) },
  })
  expect(summary.fills).toBe(1)
  return { tick: 0, account: 0, candle: 0, quote: 0, ...counts }
}

test('a rule with time_between is evaluated at the times that it names, not at each minute', async () => {
  const { tick } = await eventsOf('!time_between(clock, "12:00", "18:00")')
  expect(tick).toBeLessThan(30)
})

test('a rule with on_days is evaluated when the day changes, not at each minute', async () => {
  const { tick } = await eventsOf('!on_days(clock, "Sat,Sun")')
  expect(tick).toBeLessThan(30)
})

const feeds = 'feeds: { px: { source: candles, market: btc, interval: 1m } }'

test('an open position is a reason to read the account only if a comparison with the equity can change', async () => {
  const balance = await eventsOf('balance(account, "USDT") > 1 && ema(px, 20) > 1', { feeds })
  expect(balance.account).toBeLessThan(10)
  const far = await eventsOf('equity(account) > 1', { minutes: 20 })
  expect(far.account).toBeLessThan(10)
  const curved = await eventsOf('equity(account) * equity(account) > 1', { minutes: 20 })
  expect(curved.account).toBeGreaterThan(100)
})

test('for a ladder that is sized by it, the equity is read before each candle, and not after it', async () => {
  const { account, candle } = await eventsOf('ema(px, 20) > 1', { total: '5% equity', feeds })
  expect(candle).toBeGreaterThan(1400)
  expect(account / candle).toBeLessThan(1.1)
  expect(account / candle).toBeGreaterThan(0.9)
})

test('an exit.at that reads no book is not evaluated at each price, although a rule reads a book', async () => {
  const feeds = [
    'feeds: { px: { source: candles, market: btc, interval: 1m }, book: { source: book, market: btc } }',
    'functions: { times(x): mid(book) * x }',
    'let: { half: times(0.5) }',
  ].join('\n')
  const quotesWith = async (at: string) => {
    const { quote } = await eventsOf('spread(book) < 1', {
      feeds,
      minutes: 20,
      exit: `exit: { at: '${at}' }`,
    })
    return quote
  }
  const seconds = 20 * 60
  expect(await quotesWith('highest(px, 3) * 1.5')).toBeLessThan(seconds * 1.1)
  for (const at of ['mid(book) * 1.5', 'times(1.5)', 'half * 3'])
    expect(await quotesWith(at)).toBeGreaterThan(seconds * 5)
})

function buysOnce(name: string, feeds: string, when: string): string {
  return `
version: 1
name: ${name}
markets: { btc: { symbol: BTC_PERP } }
feeds: ${feeds}
ladder:
  grid:
    market: btc
    side: buy
    anchor: 61000
    levels: 2
    spacing: { kind: offsets, at: [0%, 50%] }
    size: { total: 1000 quote }
rules:
  - { id: go, when: '${when}', do: [ensure: grid] }
risk:
  max_notional: { total: 1000000 }
  worst_case: { move: -5%, max_loss: 1000000 }
  drawdown: { pause: 90%, halt: 95% }
`
}

test('a tick for one strategy evaluates no other one', async () => {
  const book = '{ book: { source: book, market: btc } }'
  const texts = [buysOnce('quiet', '{}', 'position(btc) < 100'), buysOnce('dense', book, 'spread(book) < 1')]
  const stage = await openSimulation({
    strategies: texts.map((text, place) => ({ path: `${place}.yaml`, text })),
    markets: new Map([['BTC_PERP', madeBars({ seed: 4, minutes: 20, price: 60_000, pace: 0.0005 })]]),
    latencyMs: 50,
    fill: 'through',
    seed: 'evaluations',
  })
  const counts = { quiet: 0, dense: 0 }
  const { recorder } = stage
  const evaluated = recorder.evaluated.bind(recorder)
  recorder.evaluated = (name, about) => {
    counts[name === 'quiet' ? 'quiet' : 'dense'] += 1
    evaluated(name, about)
  }
  await runSimulation(stage)
  expect(counts.dense).toBeGreaterThan(500)
  expect(counts.quiet).toBeLessThan(50)
})

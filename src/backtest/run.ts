import { startBot } from '#src/bot/bot.ts'
import type { Told } from '#src/bot/driver.ts'
import { AccountReading } from '#src/bot/reading.ts'
import { Standstill } from '#src/bot/standstill.ts'
import { feedsWanted } from '#src/bot/wanted.ts'
import { Engine } from '#src/engine/engine.ts'
import type { Read } from '#src/strategy/read.ts'
import { textsOf } from '#src/strategy/texts.ts'
import type { Step } from '#src/engine/turn.ts'
import { Decimal } from '#src/money/decimal.ts'
import { assumptionsOf } from './assumptions.ts'
import { Books } from './books.ts'
import { ChartCandles } from './chart-candles.ts'
import { DirectLookout } from './lookout.ts'
import { Loop } from './loop.ts'
import { Measures } from './measures.ts'
import { openPlace, pastFeeds } from './past-feeds.ts'
import type { BacktestInput, BacktestResult } from './result.ts'
import { sceneOf } from './scene.ts'
import { askOwnVenue, clientsOf, openExchange, TurnedClock } from './stage.ts'
import { Tally } from './tally.ts'
import { account, worldOf } from './world.ts'

/** Lets strategies trade in markets of the past. The same input gives the same result. */
export async function runBacktest(input: BacktestInput): Promise<BacktestResult> {
  const { strategies, markets, from, to } = sceneOf(input)
  const symbols = [...markets.keys()]
  const world = worldOf(symbols, input)
  const still = new Standstill({ now: from, monotonic: 0 })
  const { clock } = still
  const exchange = openExchange({ world, markets, fill: input.fill, seed: input.seed, from })
  const { trading, looking } = clientsOf(exchange, clock, input.latencyMs)
  const { facts, profile, hedged } = await askOwnVenue(looking, world)
  const engine = new Engine(null, { tells: false })
  const venueClock = new TurnedClock(clock, 1, from)
  const reads = [...strategies.values()]
  const wanted = feedsWanted(reads, null)
  const chart = new ChartCandles(from, to)
  const places = symbols.map((symbol, index) => {
    const market = markets.get(symbol)
    if (!market) throw new RangeError(`${symbol} has no market`)
    const tick = 10 ** (9 - (facts.markets[symbol]?.priceDigits ?? 0))
    const isRead = reads.some(({ strategy }) =>
      Object.values(strategy.feeds).some(
        (feed) => feed.source === 'book' && strategy.markets[feed.market]?.symbol === symbol,
      ),
    )
    return openPlace({ symbol, market, from, wanted, tick, isRead, chart: index === 0 ? chart : undefined })
  })
  const books = new Books(exchange)
  const tally = new Tally(exchange.venue)
  for (const { strategy } of reads) for (const { id } of strategy.rules) tally.expectRule(strategy.name, id)

  // What cannot be known before the bot stands: how it is told, and what has become of it.
  const bot: { tell: (event: Told) => void; left: boolean; broken: unknown[] } = {
    tell: nobody,
    left: false,
    broken: [],
  }
  const onBroken = (error: unknown) => bot.broken.push(error)
  const reading = new AccountReading({
    client: looking,
    capabilities: facts.capabilities,
    profile,
    venueClock,
    settleMs: 0,
  })
  const lookout = new DirectLookout({ reading, state: () => engine.state, tell: (event) => bot.tell(event) })
  const prices = () => places.map(({ course }) => course.units)
  exchange.venue.floor.tell = lookout.floorTell(exchange, account.name, (deal) => {
    tally.dealt(deal)
    isChanged = true
  })
  let isChanged = false
  for (const { course } of places) course.pass(from + 1)
  const measures = new Measures(from, to, books.holdings(), prices())
  await startBot<Step>({
    client: trading,
    clock,
    venueClock,
    facts,
    hedged: hedged ?? false,
    settleMs: 0,
    strategies,
    engine,
    journal: { append: () => {}, commit: () => {}, abandon: () => {} },
    feeds: (_, telling) => {
      bot.tell = telling
      return pastFeeds(places, telling)
    },
    lookout: (telling) => {
      bot.tell = telling
      return lookout.forBot
    },
    onStep: (event, step) => {
      if (step.commands.length > 0) bot.left = true
      tally.take(event, step)
    },
    say: () => {},
    onBroken,
    defer: still.defer,
    pulse: async () => {},
  })
  await still.settle()
  const loop = new Loop({
    from,
    still,
    exchange,
    places,
    tell: (event) => bot.tell(event),
    tellSeen: () => {
      if (bot.broken.length > 0) throw bot.broken[0]
      return lookout.tellSeen()
    },
    settle: () => still.settle(),
    hasLeft: () => {
      const { left } = bot
      bot.left = false
      return left
    },
    horizon: () => engine.horizon(),
    passed: (symbol, lowest, highest) => engine.passed(symbol, lowest, highest),
    readAccount: reads.some(readsAccount)
      ? async () => {
          for (const event of await reading.balances()) bot.tell(event)
        }
      : undefined,
    onMinute: (at) => {
      if (isChanged) measures.changed(at, books.holdings(), prices())
      isChanged = false
      measures.closed(at, prices())
    },
  })
  await loop.run(to)
  const { equity, ...measured } = measures.finish(to, prices())
  return {
    summary: {
      fills: tally.fills.length,
      orders: tally.orders,
      netProfit: new Decimal(measured.endEquity).minus(measured.startEquity).toFixed(),
      fees: tally.fees.toFixed(),
      funding: books.funding(),
      liquidations: tally.liquidations,
      events: places.reduce((sum, { course }) => sum + course.passed, 0),
      from,
      to,
      ...measured,
    },
    fills: tally.fills,
    equity,
    candles: chart.done(),
    rungs: tally.rungs.rungs(),
    rules: tally.rules,
    rejected: tally.rejected,
    market: symbols.map((symbol) => {
      const market = markets.get(symbol)
      return { symbol, print: market?.print ?? '', kind: market?.kind ?? '', gaps: market?.seen?.gaps ?? 0 }
    }),
    assumptions: assumptionsOf({ ...input, markets }),
  }
}

function nobody(): void {}

/** Whether anything in the file looks at what the account has: then that is told as often as it may matter. */
function readsAccount({ strategy, programs }: Read): boolean {
  const asShare = Object.values(strategy.ladder).some(({ size }) => size.total?.of === 'equity')
  return asShare || textsOf(programs).some((text) => /\baccount\b/.test(text))
}

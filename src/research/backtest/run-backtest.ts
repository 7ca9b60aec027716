import { startBot } from '#src/runtime/loop/bot.ts'
import type { NewEvent } from '#src/runtime/loop/driver.ts'
import { feedsWanted } from '#src/runtime/feeds/subscriptions.ts'
import type { ResultWatch } from '#src/research/backtest/jump/horizon.ts'
import type { Step } from '#src/engine/step-context.ts'
import { drawdownOf } from '#src/engine/holdings/profit-and-loss.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { assumptionsOf } from '#src/research/backtest/result/assumptions.ts'
import { missingTexts } from '#src/research/backtest/result/ladder-assumptions.ts'
import { AccountBooks } from '#src/research/backtest/measures/account-books.ts'
import { ChartCandles } from '#src/research/backtest/measures/chart-candles.ts'
import type { AccountView } from '#src/research/backtest/loop/direct-account-monitor.ts'
import { BacktestLoop } from '#src/research/backtest/loop/backtest-loop.ts'
import { Measures } from '#src/research/backtest/measures/measures.ts'
import { polledInputs, type PolledInputs } from './polled-inputs.ts'
import { sparseTexts, unknownTexts } from './unknown-texts.ts'
import { openPlace, historicalFeeds, type Opened } from '#src/research/backtest/loop/historical-feeds.ts'
import { PricePath, type PriceWatch } from '#src/research/backtest/loop/price-path.ts'
import type {
  BacktestInput,
  BacktestParameters,
  BacktestResult,
} from '#src/research/backtest/result/result.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import type { Scenario } from './scenario.ts'
import { SignalCursor } from './signals.ts'
import { warmUpNotes } from './warm-up.ts'
import { openSimulation, type BacktestSimulation } from './simulation.ts'
import { EventTally } from '#src/research/backtest/measures/event-tally.ts'
import { watchDeals, watchFunding } from '#src/research/backtest/loop/exchange-events.ts'

const unitsPerOne = 1e9

/** Told from time to time: the share of the period that has passed. */
type OnShare = (share: number) => void

/** Backtests strategies on historical markets. The same input gives the same result. */
export async function runBacktest(input: BacktestInput, onShare?: OnShare): Promise<BacktestResult> {
  return runSimulation(await openSimulation(input), onShare)
}

/** The same with an existing simulation. */
export async function runSimulation(stage: BacktestSimulation, onShare?: OnShare): Promise<BacktestResult> {
  const { scene, exchange, engine, recorder, still, readsAccount } = stage
  const { from, to } = scene
  const chart = new ChartCandles(from, to)
  const places = openPlaces(stage, chart)
  const prices = pricesOf(places)
  const books = new AccountBooks(exchange)
  const tally = new EventTally(exchange.venue, scene.strategies, () => engine.state)
  let isChanged = false
  watchDeals(exchange, (deal, place) => {
    tally.dealt(deal, place)
    isChanged = true
  })
  watchFunding(exchange, (amount) => {
    tally.funding += amount
    isChanged = true
  })
  const measures = new Measures(from, to, books.holdings(), prices())
  /** Deals and funding change the holdings. */
  const measureChange = () => {
    if (!isChanged) return
    const holdings = books.holdings()
    if (tally.liquidations > 0) tally.writeOff(holdings)
    measures.changed(still.clock.now(), holdings, prices())
    isChanged = false
  }
  const path = new PricePath(
    places.map(({ course }) => course),
    () => [measures.watch, ...recorder.resultWatches().map((each) => watchOf(recorder, each, places))],
  )
  const polled = polledInputs(stage, places)
  const { tell, sight, hasLeft, refuseBroken } = await startOn(stage, places, tally)
  const loop = new BacktestLoop({
    from,
    still,
    exchange,
    places,
    signals: new SignalCursor(stage.input.signals),
    polled: Object.values(polled),
    tell,
    hasLeft,
    settle: async () => {
      await stage.settle()
      refuseBroken()
    },
    tellSeen: () => {
      measureChange()
      return sight.tellSeen()
    },
    tellAccount: readsAccount.equity || readsAccount.balances ? sight.tellAccount : undefined,
    exposure: () => (readsAccount.equity && books.isExposed ? books.exposed : undefined),
    horizon: stage.horizon,
    passed: () => path.walk(),
    isChanged: () => isChanged,
    stood: (symbol, at, price) => recorder.stood(symbol, at, price),
    recordResults: () => recorder.recordResults(),
    skipped: (candle, at) => recorder.skipped(candle, at),
    onMinute: (at) => {
      measures.closed(at, prices())
      onShare?.((at - from) / (to - from))
    },
    quietUntil: () => measures.quietUntil,
  })
  // Events at the end time do not belong to the period; a backtest that begins there has them.
  await loop.run(to - 1)
  polled.depth.close()
  refuseBroken()
  measureChange()
  return resultOf(stage, { tally, measures, places, prices: prices(), candles: chart.done(), polled })
}

/** The current price of each market, in an array that is reused. */
function pricesOf(places: readonly Opened[]): () => Float64Array {
  const units = new Float64Array(places.length)
  return () => {
    for (let index = 0; index < places.length; index++) units[index] = places[index]?.course.units ?? 0
    return units
  }
}

type Counted = {
  tally: EventTally
  measures: Measures
  places: readonly Opened[]
  prices: Float64Array
  candles: BacktestResult['candles']
  polled: PolledInputs
}

function resultOf(
  { scene, engine, exchange, input }: BacktestSimulation,
  { tally, measures, places, prices, candles, polled }: Counted,
): BacktestResult {
  const { from, to, markets } = scene
  const { equity, months, ...measured } = measures.finish(to, prices)
  const { all, strategies } = tally.pairs.results(prices)
  return {
    summary: {
      fills: tally.fills.length,
      orders: tally.orders,
      netProfit: new Decimal(measured.endEquity).minus(measured.startEquity).toFixed(),
      fees: formatAtoms(tally.fees),
      funding: formatAtoms(tally.funding),
      liquidations: tally.liquidations,
      halts: tally.happenings.halts,
      events: places.reduce((sum, { course }) => sum + course.passed, 0),
      from,
      to,
      ...all,
      ...tally.pairs.trips.results(tally.liquidations),
      ...measured,
    },
    fills: tally.fills,
    equity,
    months,
    parameters: parametersOf(input, exchange),
    candles,
    rungs: tally.pairs.withPairs(tally.rungs.rungs(), prices),
    strategies: strategies.map((each) => {
      const { worth } = engine.state.strategies[each.strategy] ?? {}
      const text = scene.strategies.get(each.strategy)?.text()
      return Object.assign(each, { maxDrawdown: worth ? drawdownOf(worth).maxDrawdown : '0', text })
    }),
    held: tally.held(prices),
    rules: tally.rules,
    rejected: tally.rejected,
    ...tally.happenings.told(to),
    market: [...markets].map(([symbol, { print, kind, seen }]) => {
      const funding = scene.funding.get(symbol)?.print ?? null
      return Object.assign({ symbol, print, kind, gaps: seen?.gaps ?? 0, funding }, printsOf(scene, symbol))
    }),
    assumptions: [
      ...assumptionsOf({ ...input, ...scene }),
      ...warmUpNotes(scene),
      ...unknownTexts(scene),
      ...sparseTexts(scene, polled),
      ...missingTexts(engine.state),
    ],
  }
}

function printsOf({ depth, futures }: Scenario, symbol: string) {
  const [book, listing] = [depth.get(symbol), futures.get(symbol)]
  return { ...(book && { depth: book.print }), ...(listing && { futures: listing.print }) }
}

function parametersOf(
  { fill, latencyMs, leverage = 1, seed }: BacktestInput,
  { venue }: Exchange,
): BacktestParameters {
  const fees = venue.trading.markets.map(({ name, rules: { makerFee, takerFee } }) => {
    return { market: name, maker: formatAtoms(makerFee), taker: formatAtoms(takerFee) }
  })
  return { fill, latencyMs, leverage, seed, fees }
}

/** The result of a strategy at mid prices, from the last prices of the markets. */
function watchOf(
  recorder: BacktestSimulation['recorder'],
  result: ResultWatch,
  places: readonly Opened[],
): PriceWatch {
  const amounts = places.map(({ symbol }) => (result.amounts.get(symbol) ?? 0) / unitsPerOne)
  const spread = places.reduce((sum, { tick }, index) => sum + ((amounts[index] ?? 0) * tick) / 2, 0)
  const bounds = () => ({ low: result.low, high: result.high })
  const watch: PriceWatch = {
    amounts,
    base: result.base + spread,
    ...bounds(),
    isLastEnough: result.isLastEnough,
    reached: (units, at) => {
      const prices = places.map(
        ({ symbol, tick }, index) => [symbol, ((units[index] ?? 0) + tick / 2) / unitsPerOne] as const,
      )
      recorder.passed(result, new Map(prices), at)
      Object.assign(watch, bounds())
    },
  }
  return watch
}

/** Every market at the beginning; the chart shows the first one. */
function openPlaces({ scene, asked }: BacktestSimulation, chart: ChartCandles): Opened[] {
  const { strategies, markets, from } = scene
  const wanted = feedsWanted([...strategies.values()], null)
  return [...markets].map(([symbol, market], index) => {
    const tick = 10 ** (9 - (asked.facts.markets[symbol]?.priceDigits ?? 0))
    const isRead = isBookRead(scene, symbol)
    return openPlace({
      symbol,
      market,
      from,
      wanted,
      tick,
      isRead,
      chart: index === 0 ? chart : undefined,
    })
  })
}

function isBookRead({ strategies }: Scenario, symbol: string): boolean {
  return [...strategies.values()].some(({ strategy: { feeds, markets } }) =>
    Object.values(feeds).some(
      ({ source, market }) => source === 'book' && markets[market]?.symbol === symbol,
    ),
  )
}

/** A bot on the simulation's clock, with its control. */
async function startOn(stage: BacktestSimulation, places: readonly Opened[], tally: EventTally) {
  const { trading, still, venueClock, asked, scene, engine, journal } = stage
  const broken: unknown[] = []
  let left = false
  let heard: { tell: (event: NewEvent) => void; sight: AccountView } | undefined
  await startBot<Step>({
    venue: trading,
    clock: still.clock,
    venueClock,
    facts: asked.facts,
    settleMs: 0,
    strategies: scene.strategies,
    engine,
    journal,
    feeds: (_, tell) => historicalFeeds(places, tell),
    accountMonitor: (tell) => {
      const sight = stage.lookout(tell)
      heard = { tell, sight }
      return sight.forBot
    },
    onStep: (_, step) => {
      left ||= step.commands.length > 0
      tally.take(step)
    },
    say: () => {},
    onBroken: (error) => broken.push(error),
    defer: still.defer,
    pulse: async () => {},
  })
  await stage.settle()
  if (!heard) throw new RangeError('a bot that looks for nothing')
  return {
    ...heard,
    /** Whether commands were sent since the last call. */
    hasLeft: (): boolean => {
      const was = left
      left = false
      return was
    },
    refuseBroken: (): void => {
      if (broken.length > 0) throw broken[0]
    },
  }
}

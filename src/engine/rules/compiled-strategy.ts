import type { MarketRules } from '#src/market/ladder/plan.ts'
import { hasShares } from '#src/strategy/file/capital.ts'
import { closes } from '#src/strategy/schema/exit-schema.ts'
import { followsFills, type LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { programsIn } from '#src/strategy/expressions/condition.ts'
import type { Program } from '#src/strategy/expressions/expression.ts'
import { everyProgram, type LadderPrograms, type Programs } from '#src/strategy/expressions/programs.ts'
import { readStrategyText, type Read } from '#src/strategy/file/read-strategy.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import { tradesRead, type TradesRead } from '#src/strategy/expressions/trades-read.ts'
import type { SignalFeed, Strategy } from '#src/strategy/schema/strategy-schema.ts'
import {
  inputsOf,
  viewsOf,
  type LiveViews,
  type ExpressionInputs,
} from '#src/strategy/expressions/context-values.ts'
import { depthKey, reachOf } from '#src/engine/state/depth.ts'
import { intervalMsOf, staleAfterMs } from '#src/engine/state/prices.ts'
import { goalsOf, type ActionGoal } from '#src/strategy/file/rule-goals.ts'
import { minuteOf, scheduleOf, type Schedule } from '#src/strategy/file/schedule.ts'
import type { CandleInterval } from '#src/market/candles/candle-intervals.ts'
import type { MarketFacts, VenueFacts } from '#src/engine/events.ts'
import { rulesOf } from './market-rules.ts'

/** A strategy compiled from its text. It is kept beside the state and compiled again whenever it is missing. */
export type Compiled = {
  name: string
  strategy: Strategy
  programs: Programs
  sights: ExpressionInputs
  views: LiveViews
  feeds: CompiledFeed[]
  signals: CompiledSignal[]
  futures: CompiledFutures[]
  depth: CompiledDepth[]
  trades: CompiledTrades[]
  names: { markets: string[]; ladders: string[] }
  /** Its markets. */
  symbols: ReadonlySet<string>
  /** The markets of loops that choose among them; the rules are null where the venue does not list the market. */
  candidates: { market: string; symbol: string; rules: MarketRules | null }[]
  /** Markets whose best prices its expressions read. */
  books: ReadonlySet<string>
  /** What its decisions read of the account. */
  readsAccount: AccountParts
  /**
   * What its expressions read that changes without an event of the market. `times`: the minutes of the day at which a comparison
   * with the clock changes; `hours`: the expressions that read the age of an episode or the time until a funding payment;
   * `equity`: the conditions that read the equity, null if other expressions or sizes read it, too.
   */
  readsNow: {
    times: readonly TimeOfDay[]
    hours: readonly Program[]
    fills: boolean
    equity: readonly Program[] | null
  }
  ladders: CompiledLadder[]
  schedules: Map<string, Schedule>
  /** What each rule wants of ladders, in the order of its actions. */
  goals: Map<string, readonly ActionGoal[]>
  canCancel: boolean
}

/** In UTC without a zone. */
type TimeOfDay = { minute: number; zone: string | undefined }

type CompiledFeed = {
  name: string
  symbol: string
  /** Null for a book. */
  interval: CandleInterval | null
  intervalMs: number
  staleMs: number
}

/** A signal of the file. */
type CompiledSignal = { name: string; feed: SignalFeed }

/** A feed of futures. */
type CompiledFutures = { name: string; symbol: string; staleMs: number }

/** A feed of depth. */
type CompiledDepth = CompiledFutures & { key: string }

/** A feed of trades. */
type CompiledTrades = CompiledFutures & Pick<TradesRead, 'spans'>

export type CompiledLadder = {
  name: string
  file: LadderFile
  programs: LadderPrograms
  symbol: string
  positionSide: 'LONG' | 'SHORT'
  /** Null where the venue does not list the market. */
  market: MarketRules | null
  /** The window: how many rungs rest at most, and how far from the price, as a share of it. */
  window: { max: number | undefined; within: number | undefined }
  /** How it follows its anchor, if it does. */
  follows: Extract<LadderFile['rebase'], object> | null
  /** Whether it is computed again after each fill of the strategy. */
  followsFills: boolean
  /** When its episodes end: never, after any exit except mirrors, or whenever the ladder is flat. */
  ends: 'never' | 'left' | 'flat'
  /** Whether a refused rung blocks those behind it. */
  stopsOnFail: boolean
  /** Whether the price of `exit.at` depends on the best prices of a market. */
  exitReadsBook: boolean
  /** The signals that place it: those that its own values and the rules with its `ensure` read. */
  signals: CompiledSignal[]
}

/** Null if the text is no valid strategy: each caller has checked it before. */
export function compileStrategy(text: string, venue: VenueFacts): Compiled | null {
  const read = readStrategyText(text)
  if (Array.isArray(read)) return null
  const { strategy, programs } = read
  const sights = inputsOf(strategy)
  const symbolOf = (alias: string) => strategy.markets[alias]?.symbol ?? alias
  return {
    name: strategy.name,
    strategy,
    programs,
    sights,
    views: viewsOf(programs, sights),
    feeds: Object.entries(strategy.feeds).map(([name, feed]) => ({
      name,
      symbol: symbolOf(feed.market),
      interval: feed.source === 'book' ? null : feed.interval,
      intervalMs: feed.source === 'book' ? 0 : intervalMsOf(feed.interval),
      staleMs: staleAfterMs(feed),
    })),
    signals: Object.entries(strategy.signals).map(([name, feed]) => ({ name, feed })),
    futures: Object.entries(strategy.futures).map(([name, feed]) => ({
      name,
      symbol: symbolOf(feed.market),
      staleMs: staleAfterMs(feed),
    })),
    depth: Object.entries(strategy.depth).map(([name, feed]) => ({
      name,
      symbol: symbolOf(feed.market),
      key: depthKey(symbolOf(feed.market), reachOf(feed)),
      staleMs: staleAfterMs(feed),
    })),
    candidates: programs.selections.flatMap(({ candidates }) =>
      candidates.map(({ market }) => {
        const symbol = symbolOf(market)
        const facts = venue.markets[symbol]
        return { market, symbol, rules: facts ? rulesOf(facts) : null }
      }),
    ),
    trades: Object.entries(strategy.trades).map(([name, feed]) => ({
      name,
      symbol: symbolOf(feed.market),
      staleMs: staleAfterMs(feed),
      spans: tradesRead(programs, name).spans,
    })),
    names: { markets: Object.keys(strategy.markets), ladders: Object.keys(strategy.ladder) },
    symbols: new Set(Object.values(strategy.markets).map(({ symbol }) => symbol)),
    books: new Set(
      Object.values(strategy.feeds).flatMap(({ source, market }) =>
        source === 'book' ? [symbolOf(market)] : [],
      ),
    ),
    readsAccount: accountParts(read),
    readsNow: readsNow(read),
    ladders: Object.entries(strategy.ladder).flatMap(([name, file]) => {
      const own = programs.ladders.get(name)
      const facts = venue.markets[symbolOf(file.market)]
      return own ? [ladderOf(name, file, own, read, facts)] : []
    }),
    schedules: new Map(
      strategy.rules.flatMap(({ id, schedule }) =>
        schedule === undefined ? [] : [[id, scheduleOf(schedule)] as const],
      ),
    ),
    goals: goalsByRule(strategy),
    canCancel: venue.capabilities.includes('cancel'),
  }
}

function goalsByRule({ rules, ladder }: Strategy): Compiled['goals'] {
  return new Map(
    rules.map(({ id, do: actions }) => [id, actions.flatMap((action) => goalsOf(action, ladder))]),
  )
}

export type AccountParts = { equity: boolean; balances: boolean }

/** Expressions read parts of the account, and sizes of ladders and limits can be shares of its equity. */
export function accountParts({ strategy, programs }: Read): AccountParts {
  const read = reads(everyProgram(programs), programs.lets).calls.filter(({ of }) => of === 'account')
  return {
    equity: isSizedByEquity(strategy) || hasShares(strategy) || read.some(({ name }) => name === 'equity'),
    balances: read.some(({ name }) => name !== 'equity'),
  }
}

function isSizedByEquity({ ladder }: Strategy): boolean {
  return Object.values(ladder).some(
    ({ size }) => (size.total ?? size.first ?? size.risk)?.of === 'equity' || size.cap?.of === 'equity',
  )
}

/** Functions whose value changes with each moment. */
const changing: ReadonlySet<string> = new Set(['open_hours', 'funding_hours'])

function readsNow({ strategy, programs }: Read): Compiled['readsNow'] {
  const every = everyProgram(programs)
  const callsIn = (some: readonly Program[]) => reads(some, programs.lets).calls
  const calls = callsIn(every)
  const ofEquity = every.filter((program) => callsIn([program]).some(({ name }) => name === 'equity'))
  const areConditions = ofEquity.every(({ kind }) => kind === 'bool') && !isSizedByEquity(strategy)
  return {
    times: calls.flatMap(({ name, texts }) => {
      if (name === 'on_days') return [{ minute: 0, zone: texts[1] }]
      const [from, to, zone] = texts
      return name === 'time_between' ? [from, to].map((time = '') => ({ minute: minuteOf(time), zone })) : []
    }),
    hours: every.filter((program) => callsIn([program]).some(({ name }) => changing.has(name))),
    fills: calls.some(({ name }) => name === 'net_fills'),
    equity: areConditions ? ofEquity : null,
  }
}

function ladderOf(
  name: string,
  file: LadderFile,
  programs: LadderPrograms,
  read: Read,
  facts: MarketFacts | undefined,
): CompiledLadder {
  const { markets, submit } = read.strategy
  const { stopOnFail } = submit
  return {
    name,
    file,
    programs,
    symbol: markets[file.market]?.symbol ?? file.market,
    positionSide: markets[file.market]?.positionSide === 'short' ? 'SHORT' : 'LONG',
    market: facts ? rulesOf(facts) : null,
    window: { max: file.resting.max, within: file.resting.within?.toNumber() },
    follows: typeof file.rebase === 'object' ? file.rebase : null,
    followsFills: followsFills(file),
    stopsOnFail: typeof stopOnFail === 'boolean' ? stopOnFail : (stopOnFail[name] ?? false),
    ends: file.rebase === 'on_flat' ? 'flat' : closes(file) ? 'left' : 'never',
    exitReadsBook: exitReadsBook(programs, read),
    signals: signalsPlacing(name, programs, read),
  }
}

function exitReadsBook({ exitAt }: LadderPrograms, { strategy, programs }: Read): boolean {
  if (exitAt === undefined || !('ast' in exitAt)) return false
  const { names } = reads([exitAt], programs.lets)
  return Object.entries(strategy.feeds).some(([name, { source }]) => source === 'book' && names.has(name))
}

function signalsPlacing(
  ladder: string,
  { anchor, unit, size, scale }: LadderPrograms,
  { strategy, programs }: Read,
): CompiledSignal[] {
  const signals = Object.entries(strategy.signals)
  if (signals.length === 0) return []
  const rules = strategy.rules.filter((rule) => rule.do.some(({ ensure }) => ensure === ladder))
  const conditions = rules.flatMap(({ id }) => programs.conditions.get(id) ?? [])
  const prices = [anchor, unit, size, scale].filter((price) => price !== undefined && 'ast' in price)
  const { names } = reads([...conditions.flatMap(programsIn), ...prices], programs.lets)
  return signals.flatMap(([name, feed]) => (names.has(name) ? [{ name, feed }] : []))
}

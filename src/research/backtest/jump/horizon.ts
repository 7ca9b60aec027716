import { recordPassed } from '#src/engine/holdings/profit-and-loss.ts'
import { boundsOf, reachesLimit, resultSum, type ResultSum } from '#src/engine/holdings/result-bounds.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import type { Engine } from '#src/engine/engine.ts'
import type { CandleEvent, Event } from '#src/engine/events.ts'
import type { EvaluationValidity } from '#src/engine/rules/evaluate-strategy.ts'
import type { EvaluationRecorder } from '#src/engine/rules/evaluation-recorder.ts'
import { applyCandle, type CandleNews } from '#src/engine/state/closed-candles.ts'
import { narrowBand, type PriceBand } from '#src/engine/state/price-bands.ts'
import { doubtfulOrders } from '#src/engine/state/open-orders.ts'
import { prune } from '#src/engine/state/pruning.ts'
import type { LadderState, Quote, State } from '#src/engine/state/state.ts'
import { nextTick, tickFrom } from '#src/engine/state/ticks.ts'
import { Validity } from '#src/engine/state/validity.ts'
import { equity, thresholdsOf } from '#src/strategy/expressions/thresholds.ts'
import { closesHorizon } from './horizon-closes.ts'
import { ruinOf } from './horizon-drawdown.ts'
import { isQuoteWithin, keepWithin } from './price-bands.ts'

/**
 * Until `at`, and while prices stay inside `bands`, no evaluation is needed, if no order fills and no answer arrives. A price at
 * an end of its band is outside. A candle is an event, too, but inside the bands of `closes` the last candle is enough. Outside
 * `urgent` the strategies act with the quote, outside `bands` with the next tick. Outside `peaks` a price is the best one of a
 * trailing exit: only the price at which it turns back counts. Inside the band `equity` no change of the equity counts; null if
 * each one does.
 */
export type Horizon = PriceBands & { at: number; closes: Bands | null; equity: PriceBand | null }
/**
 * `all`: no candle may be skipped. `ages`: what the bot has received last becomes stale, since a market has no quotes now, or
 * since polls find only the rows of a file.
 */
export type HorizonAsked = { all: boolean; ages: boolean }
type PriceBands = QuoteBands & { bands: Bands }
type QuoteBands = { urgent: Bands; peaks: Bands }
type Bands = ReadonlyMap<string, PriceBand>

type Record = EvaluationValidity & {
  /** Whether exits and orders were evaluated in this step. */
  isEvaluated: boolean
}

/** The result of a strategy. From `low` to `high` it is neither a new best one nor a deeper drawdown. */
export type ResultWatch = ResultSum & { strategy: string; low: number; high: number; isLastEnough: boolean }

const horizonsPerPruning = 256

/** Events that change time, prices, signals, polled values and the account: what depends on them is evaluated, or recorded. */
const passing: ReadonlySet<Event['kind']> = new Set([
  'tick',
  'quote',
  'candle',
  'futures',
  'depth',
  'trades',
  'signal',
  'account',
  'carried',
])

/** Events about orders of one strategy, which the same step evaluates. */
const ofOneStrategy: ReadonlySet<Event['kind']> = new Set(['seen', 'answered', 'withdrawn'])

export function recordHorizon(engine: Engine): HorizonRecorder {
  return engine.record((state, known) => new HorizonRecorder(state, known))
}

/** Records for how long evaluations hold, so that a backtest can jump to the next one that may decide something else. */
export class HorizonRecorder implements EvaluationRecorder {
  readonly #state: State
  readonly #known: ReadonlyMap<string, Compiled>
  readonly #records = new Map<string, Record>()
  /** For how long the result of the search for orders with unknown outcome holds. */
  readonly unknown = new Validity()
  /** Where quotes act by themselves, until something changes; and which strategies have reached a limit of their drawdown. */
  #quotes: (QuoteBands & { ruined: ReadonlySet<string> }) | undefined
  #count = 0

  constructor(state: State, known: ReadonlyMap<string, Compiled>) {
    this.#state = state
    this.#known = known
  }

  of(name: string): Record {
    let record = this.#records.get(name)
    if (!record) {
      record = { rules: new Validity(), orders: new Validity(), isEvaluated: false }
      record.orders.endWithTick(this.#state.at)
      this.#records.set(name, record)
    }
    return record
  }

  /** Records the evaluation of a strategy; an evaluation that has changed something is followed by another one. */
  evaluated(name: string, { isFull, hasChanged }: { isFull: boolean; hasChanged: boolean }): void {
    const record = this.of(name)
    this.#boundEquity(name, record)
    if (isFull) record.isEvaluated = true
    if (isFull || hasChanged) this.#quotes = undefined
    if (!hasChanged) return
    record.orders.endWithTick(this.#state.at)
    for (const other of this.#state.running)
      if (this.#readsOthers(other)) this.of(other).orders.endWithTick(this.#state.at)
  }

  /** If only conditions read the equity, it counts where one of them changes. */
  #boundEquity(name: string, { rules, orders }: EvaluationValidity): void {
    const { programs, views, readsNow } = this.#known.get(name) ?? {}
    const isRead = rules.readsEquity || orders.readsEquity
    if (!isRead || !programs || !views || !readsNow?.equity) return
    const now = Number(this.#state.account?.equity ?? 0)
    const numbers = thresholdsOf(programs, views.now, readsNow.equity).get(equity) ?? null
    if (numbers === null || Math.min(now, ...numbers) <= 0) return
    rules.readsEquity = orders.readsEquity = false
    for (const number of numbers) narrowBand(rules.equity, now, number)
  }

  #readsOthers(name: string): boolean {
    const { rules, orders } = this.of(name)
    return rules.readsOthers || orders.readsOthers
  }

  isDue(name: string): boolean {
    const { at, quotes } = this.#state
    this.#quotes ??= this.#quoteBands()
    if (this.#quotes.ruined.has(name) || doubtfulOrders(this.#state).length > 0) return true
    const { rules, orders } = this.of(name)
    // What a quote of this moment has changed is evaluated with the tick of this moment.
    const next = nextTick(at)
    for (const { until, staleAt, bands } of [rules, orders]) {
      if (next >= Math.min(until, staleAt.candle, staleAt.quote)) return true
      for (const [symbol, band] of bands) if (!isQuoteWithin(quotes[symbol], band)) return true
    }
    return false
  }

  /** What waited until something is known goes with the next tick, and so does what goes by the price of a candle. */
  fed(name: string, news: CandleNews): void {
    const { rules, orders } = this.of(name)
    if (news !== 'next' || orders.needsQuote) orders.endWithTick(this.#state.at)
    // The rules have just read the age of every feed, so of each feed that the orders depend on.
    else orders.staleAt.candle = Math.max(orders.staleAt.candle, rules.staleAt.candle)
  }

  /** If the event can change more than time and prices, strategies that were not evaluated wait for the tick. */
  stepped({ kind }: Event): void {
    const isNews = !passing.has(kind)
    const concernsAll = !ofOneStrategy.has(kind)
    // Quotes act at another price now.
    if (isNews || kind === 'quote') this.#quotes = undefined
    for (const name of this.#state.running) {
      const { rules, orders, isEvaluated } = this.of(name)
      // The first quote, or the first one after a gap, ends evaluations that had none.
      const isPriced = kind === 'quote' && (rules.needsQuote || orders.needsQuote)
      // A limit is a share of the equity.
      const isSized = kind === 'account' && !isWithin(Number(this.#state.account?.equity ?? 0), orders.equity)
      const isChanged = isNews && !isEvaluated && (concernsAll || this.#readsOthers(name))
      if (isSized || isPriced || isChanged) orders.endWithTick(this.#state.at)
    }
    for (const record of this.#records.values()) record.isEvaluated = false
  }

  /** What the results of strategies that hold something depend on, while prices pass without events. */
  resultWatches(): ResultWatch[] {
    const watches: ResultWatch[] = []
    for (const name of this.#state.running) {
      const [compiled, own] = [this.#known.get(name), this.#state.strategies[name]]
      if (!compiled || !own) continue
      const sum = resultSum(compiled.strategy, own)
      if (sum.amounts.size === 0) continue
      // A pause `within` a time keeps the best result of each of its steps.
      const isLastEnough = compiled.strategy.risk.drawdown.pause.end.by !== 'within'
      watches.push({ strategy: name, ...sum, ...boundsOf(own, sum.base), isLastEnough })
    }
    return watches
  }

  /** Records mid prices at which a result is a new best one or a deeper drawdown. */
  passed(watch: ResultWatch, prices: ReadonlyMap<string, number>, at: number): void {
    const [compiled, own] = [this.#known.get(watch.strategy), this.#state.strategies[watch.strategy]]
    if (!compiled || !own) return
    recordPassed(compiled.strategy, own, prices, at)
    Object.assign(watch, boundsOf(own, watch.base))
  }

  /** A market has this price now. */
  stood(symbol: string, at: number, price: Omit<Quote, 'at'>): void {
    const quote = this.#state.quotes[symbol]
    if (quote) Object.assign(quote, price, { at })
  }

  /** Records the results at prices that the bot does not receive: an order that arrives now may change the holdings. */
  recordResults(): void {
    const state = this.#state
    for (const name of state.running) {
      const [compiled, own] = [this.#known.get(name), state.strategies[name]]
      if (!compiled || !own) continue
      // A limit that is reached counts with the next quote, as for all prices between two seconds.
      for (const symbol of compiled.symbols) reachesLimit(state, compiled, own, symbol)
    }
  }

  /** The last poll of a list has found the same values again. */
  polled(of: 'futures' | 'trades', symbol: string, at: number): void {
    const listed = this.#state[of]?.[symbol]
    if (listed) listed.at = at
  }

  /** Applies the last of several candles that could change nothing and were skipped, without an evaluation. */
  skipped(candle: Omit<CandleEvent, 'at'>, at: number): void {
    const { running, strategies } = this.#state
    for (const name of running) {
      const [compiled, own] = [this.#known.get(name), strategies[name]]
      if (compiled && own) applyCandle(compiled, own, candle, at)
    }
  }

  horizon({ all, ages }: HorizonAsked = { all: false, ages: false }): Horizon {
    const [state, known] = [this.#state, this.#known]
    // While time jumps, ticks are rare.
    this.#count += 1
    if (this.#count % horizonsPerPruning === 0) prune(state)
    const closes = all ? null : closesHorizon(state, known)
    const { urgent, peaks, ruined } = (this.#quotes ??= this.#quoteBands())
    let until = ruined.size > 0 ? nextTick(state.at) : Infinity
    const bands = new Map(urgent)
    let readsEquity = false
    const equity = { below: -Infinity, above: Infinity }
    const join = (validity: Validity) => {
      const { staleAt } = validity
      until = Math.min(until, validity.until)
      if (closes === null) until = Math.min(until, staleAt.candle)
      if (ages) until = Math.min(until, staleAt.quote)
      for (const [symbol, band] of validity.bands) keepWithin(bands, symbol, band)
      readsEquity ||= validity.readsEquity
      equity.below = Math.max(equity.below, validity.equity.below)
      equity.above = Math.min(equity.above, validity.equity.above)
    }
    join(this.unknown)
    for (const name of state.running) {
      const { rules, orders } = this.of(name)
      join(rules)
      join(orders)
    }
    const at = until > state.at ? tickFrom(until) : nextTick(state.at)
    return { at, bands, urgent, peaks, closes, equity: readsEquity ? null : equity }
  }

  #quoteBands() {
    const [urgent, peaks] = [new Map<string, PriceBand>(), new Map<string, PriceBand>()]
    const ruined = new Set<string>()
    for (const name of this.#state.running) {
      const [compiled, own] = [this.#known.get(name), this.#state.strategies[name]]
      if (!compiled || !own) continue
      for (const { name: ladder, symbol } of compiled.ladders) {
        const mine = own.ladders[ladder]
        if (mine) watchExits(symbol, mine, { urgent, peaks })
      }
      if (!ruinOf(this.#state, compiled, own, urgent)) ruined.add(name)
    }
    return { urgent, peaks, ruined }
  }
}

function isWithin(equity: number, { below, above }: PriceBand): boolean {
  return equity > below && equity < above
}

/** The prices at which a quote changes something for the exits of a ladder. */
function watchExits(
  symbol: string,
  { exits: { watch } }: LadderState,
  { urgent, peaks }: { [Kind in keyof QuoteBands]: Map<string, PriceBand> },
): void {
  if (!watch) return
  keepWithin(urgent, symbol, watch)
  if (watch.best === undefined) return
  const { of, best } = watch
  keepWithin(peaks, symbol, of === 'bid' ? { below: 0, above: best } : { below: best, above: Infinity })
}

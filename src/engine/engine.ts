import { takeAccount } from '#src/engine/account/account-limits.ts'
import { strategiesOf, takeAnswers, takeUpdate, takeCancelled } from '#src/engine/orders/answers.ts'
import { beginLadder, beginStrategy, resumedState } from '#src/engine/state/initial-state.ts'
import type { Command } from './commands.ts'
import { compileStrategy, type Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { emitBlocked, emitExplanations } from '#src/engine/explain/explanations.ts'
import {
  pursueUnknown,
  takeSessionStart,
  takeEvidence,
  takeSearched,
} from '#src/engine/orders/unknown-orders.ts'
import { reportExternalOrders, reconcilePositions } from '#src/engine/account/reconcile-positions.ts'
import type { Answered, SessionStarted, CandleEvent, Event, QuoteEvent } from './events.ts'
import { followBest } from '#src/engine/exits/trailing-best.ts'
import { withRefusals } from '#src/engine/orders/refusals.ts'
import { readsCandles, touches } from '#src/engine/exits/exits.ts'
import { applyCandle } from '#src/engine/state/closed-candles.ts'
import { dueStrategies, type EvaluationRecorder } from '#src/engine/rules/evaluation-recorder.ts'
import { takeCapability, takeInvested } from '#src/engine/account/idle-money.ts'
import { takeFound } from '#src/engine/orders/found-orders.ts'
import { applyRecordedCommand } from '#src/engine/orders/command-effects.ts'
import { applyOperatorCommand } from '#src/engine/rules/operator-commands.ts'
import { foreseeIds } from '#src/engine/orders/order-ids.ts'
import { prune } from '#src/engine/state/pruning.ts'
import { takeSignals } from '#src/engine/state/signals.ts'
import { takePolled } from '#src/engine/state/polled-values.ts'
import { nextTick } from '#src/engine/state/ticks.ts'
import { changeText } from '#src/engine/rules/reload.ts'
import type { State } from '#src/engine/state/state.ts'
import { decidesOnEachCandle } from './engine-version.ts'
import { beginStep, type EngineOptions, type Step, type StepContext } from './step-context.ts'
import { reachesLimit } from '#src/engine/holdings/result-bounds.ts'
import { requireRunning, reportActiveStrategies } from '#src/engine/rules/active-strategies.ts'
import { awaitsPrice, beginSession, isAccountUnread, readAccount } from '#src/engine/state/session.ts'
import { recordInto } from '#src/engine/state/validity.ts'
import { evaluateStrategy } from '#src/engine/rules/evaluate-strategy.ts'

/**
 * Makes all decisions of the bot and does no input or output. An event changes the state and returns commands. The same state and
 * the same event always give the same step: the engine reads no clock and no random number, so a restart needs only the journal
 * of events.
 */
export class Engine {
  readonly state: State
  readonly #compiled = new Map<string, Compiled>()
  readonly #tells: boolean
  readonly #refusalOf: EngineOptions['refusalOf']
  /** Only in backtests. */
  #recorder: EvaluationRecorder | undefined
  /** The context is reused until a step has a result: most prices change nothing. */
  #turn: StepContext & Step

  constructor(state: State | null, { tells = true, refusalOf }: EngineOptions = {}) {
    this.#tells = tells
    this.#refusalOf = refusalOf
    this.state = resumedState(state)
    this.#turn = beginStep(this.state, this.#compiled)
    this.#compileAll()
  }

  step(event: Event): Step {
    const { state } = this
    if (event.kind === 'began') beginSession(state, this.#compiled, event)
    if (event.at > state.at) state.at = event.at
    const context = this.#turn
    this.#take(context, event)
    const { commands, notes, decisions } = context
    this.#recorder?.stepped(event)
    if (commands.length + notes.length + decisions.length === 0) return nothing
    this.#turn = beginStep(state, this.#compiled)
    return { commands, notes, decisions }
  }

  /**
   * Applies a record of another version: its event changes the state, and its commands count as sent. So no order is lost or sent
   * twice, whatever this version would have sent.
   */
  recall(event: Event, commands: readonly Command[], version: string): void {
    const { state } = this
    if (event.kind === 'began') beginSession(state, this.#compiled, event)
    if (event.at > state.at) state.at = event.at
    this.#take(beginStep(state, this.#compiled, version), event)
    for (const command of commands) applyRecordedCommand(state, command)
  }

  /** From here on, evaluations record for how long they hold: a backtest jumps by it. */
  record<Recorder extends EvaluationRecorder>(
    recorderOf: (state: State, known: ReadonlyMap<string, Compiled>) => Recorder,
  ): Recorder {
    const recorder = recorderOf(this.state, this.#compiled)
    this.#recorder = recorder
    return recorder
  }

  #take(context: StepContext, event: Event): void {
    const { state } = context
    context.isTick = event.kind === 'tick'
    switch (event.kind) {
      case 'began':
        this.#begin(context, event)
        break
      case 'reloaded':
        this.#reload(context, event.name, event.text)
        break
      case 'candle':
        return this.#takeCandle(context, event)
      case 'quote':
        return this.#takeQuote(context, event)
      case 'signal':
        return this.#thinkAll(context, takeSignals(context, this.#compiled, event))
      case 'futures':
      case 'depth':
      case 'trades':
        return this.#thinkAll(context, takePolled(state, this.#compiled, event))
      case 'answered':
        return this.#takeAnswered(context, event)
      case 'withdrawn':
        for (const order of event.orders) takeCancelled(context, order)
        break
      case 'seen':
        for (const order of event.orders) takeUpdate(context, order)
        break
      case 'account':
        return this.#takeAccount(context, event)
      case 'accountRead':
        readAccount(state, this.#compiled)
        break
      case 'capability':
        takeCapability(context, event)
        break
      case 'invested':
        takeInvested(context, event)
        break
      case 'operator':
        applyOperatorCommand(context, event)
        break
      case 'carried':
        // Without explanations there is no wait in which ids could be prepared.
        if (this.#tells) foreseeIds(state, this.#compiled)
        return this.#tell(context, state.running)
      case 'ending':
        state.ending = true
        return
      case 'searched':
        return takeSearched(context, event)
      case 'evidence':
        takeEvidence(context, event)
        break
      case 'positions':
        return reconcilePositions(context, event)
      case 'found':
        return takeFound(context, event)
      case 'foreign':
        return reportExternalOrders(context, event)
      case 'tick':
        if (event.heard !== undefined) state.heard = event.heard
        prune(state)
        break
    }
    const some = strategiesOf(state, event)
    // Updates of single orders come in large numbers. Only one that makes an outcome unknown needs a check of all orders.
    const isDoubt = event.kind === 'withdrawn' && event.orders.some(({ outcome }) => outcome === 'gone')
    if (isDoubt || some === undefined) this.#pursueUnknown(context)
    this.#thinkAll(context, dueStrategies(context, event, some, this.#recorder))
    // The explanations follow with the next tick.
    if (some === undefined) this.#tell(context, state.running)
  }

  #takeAnswered(context: StepContext, event: Answered): void {
    const name = context.state.chunks[event.chunk]?.strategy
    takeAnswers(context, withRefusals(event, this.#refusalOf))
    this.#pursueUnknown(context)
    if (name === undefined) return
    this.#think(context, name, true)
    this.#tell(context, [name])
  }

  #begin(context: StepContext, { venue, strategies }: SessionStarted): void {
    const { state } = context
    state.running = strategies.map(({ name }) => name)
    for (const { name, text } of strategies) {
      const own = (state.strategies[name] ??= beginStrategy(text))
      if (own.text !== text) changeText(own, text, venue)
    }
    takeSessionStart(context, venue)
    this.#compileAll()
    reportActiveStrategies(context)
  }

  #reload(context: StepContext, name: string, text: string): void {
    const { state, notes } = context
    const own = state.strategies[name]
    if (!own || !state.running.includes(name)) return
    changeText(own, text, state.venue)
    this.#compile(name)
    requireRunning(context, name)
    notes.push({ type: 'strategy-reloaded', at: state.at, strategy: name })
  }

  #compileAll(): void {
    this.#compiled.clear()
    for (const name of Object.keys(this.state.strategies)) this.#compile(name)
  }

  #compile(name: string): void {
    const own = this.state.strategies[name]
    const compiled = own && compileStrategy(own.text, this.state.venue)
    // A strategy that does not run may have been written for an older version of the bot.
    if (!compiled) return
    this.#compiled.set(name, compiled)
    for (const ladder of compiled.ladders) own.ladders[ladder.name] ??= beginLadder()
  }

  #takeCandle(context: StepContext, event: CandleEvent): void {
    const { state } = context
    for (const name of state.running) {
      const [compiled, own] = [this.#compiled.get(name), state.strategies[name]]
      if (!compiled || !own) continue
      let news = applyCandle(compiled, own, event, state.at)
      if (news === 'part' && decidesOnEachCandle(context.recordedBy)) news = 'next'
      // The missing candle comes now, too, or else the next tick decides.
      if (news === 'part') own.awaitsCandleUntil = nextTick(state.at)
      else if (news) delete own.awaitsCandleUntil
      if (news && news !== 'part') this.#think(context, name, readsCandles(compiled, own))
      if (news) this.#recorder?.fed(name, news)
    }
  }

  #takeQuote(context: StepContext, { market, bid, ask, last }: QuoteEvent): void {
    const { state } = context
    const isFirst = awaitsPrice(state, market)
    const quote = (state.quotes[market] ??= { at: 0, bid: null, ask: null, last: null })
    quote.at = state.at
    quote.bid = bid
    quote.ask = ask
    quote.last = last
    for (const name of state.running) {
      const [compiled, own] = [this.#compiled.get(name), state.strategies[name]]
      if (!compiled?.symbols.has(market) || !own) continue
      const isLimit = reachesLimit(state, compiled, own, market)
      const isTouched = compiled.ladders.some((ladder) => {
        const mine = own.ladders[ladder.name]
        return ladder.symbol === market && mine !== undefined && (isFirst || touches(mine, quote))
      })
      const isFull = isLimit || isTouched
      // The next tick evaluates what prices mean to resting ladders.
      if (isFull || compiled.books.has(market)) this.#think(context, name, isFull)
      if (!isFull) followBest(state, compiled, own, market)
    }
  }

  #takeAccount(context: StepContext, event: Extract<Event, { kind: 'account' }>): void {
    const { state } = context
    const changed = takeAccount(state, event)
    // Strategies that do not read what has changed are evaluated with the next tick.
    for (const name of state.running) {
      const { equity = false, balances = false } = this.#compiled.get(name)?.readsAccount ?? {}
      if ((changed.equity && equity) || (changed.balances && balances)) this.#think(context, name, false)
    }
  }

  #thinkAll(context: StepContext, names: Iterable<string>): void {
    for (const name of names) this.#think(context, name, true)
  }

  /** Commands do not wait for their explanations: those are emitted after the commands have left. */
  #tell(context: StepContext, names: readonly string[]): void {
    const { state, commands, recordedBy } = context
    if (!this.#tells || recordedBy !== null || state.ending || commands.length > 0) return
    for (const name of names) {
      const [compiled, own] = [this.#compiled.get(name), state.strategies[name]]
      if (compiled && own) emitExplanations(context, compiled, own)
    }
  }

  #think(context: StepContext, name: string, isFull: boolean): void {
    const { state } = context
    const [compiled, own] = [this.#compiled.get(name), state.strategies[name]]
    if (!compiled || !own || state.ending || isAccountUnread(state) || !state.running.includes(name)) return
    const { plan, hasChanged } = evaluateStrategy(context, compiled, own, isFull, this.#recorder?.of(name))
    if (plan && !this.#tells) emitBlocked(context, compiled, plan)
    this.#recorder?.evaluated(name, { isFull, hasChanged })
  }

  #pursueUnknown(context: StepContext): void {
    recordInto(this.#recorder?.unknown)
    pursueUnknown(context)
    recordInto(undefined)
  }
}

const nothing: Step = { commands: [], notes: [], decisions: [] }
// One shared result for all steps without output.
for (const part of Object.values(nothing)) Object.freeze(part)

import { addCandle } from '#src/indicators/readings.ts'
import { beginFeed } from '#src/strategy/views.ts'
import { takeAnswered, takeSeen, takeWithdrawn } from './answers.ts'
import { beginLadder, beginState, beginStrategy } from './begin.ts'
import { compileStrategy, type Compiled } from './compiled.ts'
import { endEpisode } from './episodes.ts'
import type { Began, CandleEvent, Event, Operator, QuoteEvent } from './events.ts'
import { takeInvested } from './investing.ts'
import { layLadder } from './laying.ts'
import { doubt, end, naming } from './orders.ts'
import { placeEntries } from './placing.ts'
import { judgeRules } from './rules.ts'
import { look } from './sight.ts'
import { changeText } from './reloading.ts'
import type { State } from './state.ts'
import type { Step, Turn } from './turn.ts'
import { withdraw } from './withdrawing.ts'

/**
 * The bot without its hands: what it learns changes its state, and out come the commands. The same state and the same
 * event always give the same step; it knows no clock and no chance, so that a journal of events is all that a restart
 * needs.
 */
export class Engine {
  readonly state: State
  readonly #compiled = new Map<string, Compiled>()

  constructor(state: State | null) {
    this.state = state ?? beginState()
    this.#compileAll()
  }

  step(event: Event): Step {
    const { state } = this
    if (event.at > state.at) state.at = event.at
    const turn: Turn = { state, commands: [], notes: [], decisions: [] }
    this.#take(turn, event)
    return { commands: turn.commands, notes: turn.notes, decisions: turn.decisions }
  }

  #take(turn: Turn, event: Event): void {
    const { state } = turn
    switch (event.kind) {
      case 'began':
        this.#begin(turn, event)
        break
      case 'reloaded':
        this.#reload(turn, event.name, event.text)
        break
      case 'candle':
        return this.#takeCandle(turn, event)
      case 'quote':
        return this.#takeQuote(turn, event)
      case 'answered':
        takeAnswered(turn, this.#compiled, event)
        break
      case 'withdrawn':
        takeWithdrawn(turn, event)
        break
      case 'seen':
        takeSeen(turn, this.#compiled, event)
        break
      case 'account': {
        const { equity, available, freeze, main } = event
        state.account = { at: state.at, equity, available, freeze, main }
        break
      }
      case 'invested':
        takeInvested(turn, event)
        break
      case 'operator':
        operate(turn, event)
        break
      case 'ending':
        state.ending = true
        return
      case 'tick':
      case 'evidence':
      case 'positions':
      case 'foreign':
        break
    }
    for (const name of state.running) this.#think(turn, name)
  }

  #begin(turn: Turn, { venue, strategies }: Began): void {
    const { state } = turn
    state.venue = venue
    state.ending = false
    state.running = strategies.map(({ name }) => name)
    for (const { name, text } of strategies) {
      const own = (state.strategies[name] ??= beginStrategy(text))
      if (own.text !== text) changeText(own, text, venue)
    }
    state.chunks = {}
    for (const order of Object.values(state.orders))
      if (order.status === 'sending') doubt(turn, order, 'the process ended while it was on its way')
    this.#compileAll()
    turn.notes.push({ type: 'started', at: state.at, strategies: state.running })
  }

  #reload({ state, notes }: Turn, name: string, text: string): void {
    const own = state.strategies[name]
    if (!own || !state.running.includes(name)) return
    changeText(own, text, state.venue)
    this.#compileAll()
    notes.push({ type: 'strategy-reloaded', at: state.at, strategy: name })
  }

  #compileAll(): void {
    this.#compiled.clear()
    for (const [name, own] of Object.entries(this.state.strategies)) {
      const compiled = compileStrategy(own.text, this.state.venue)
      this.#compiled.set(name, compiled)
      for (const ladder of compiled.ladders) own.ladders[ladder.name] ??= beginLadder()
    }
  }

  #takeCandle(turn: Turn, event: CandleEvent): void {
    const { state } = turn
    for (const name of state.running) {
      const [compiled, own] = [this.#compiled.get(name), state.strategies[name]]
      if (!compiled || !own) continue
      let changed = false
      for (const { name: feed, symbol, interval, intervalMs, staleMs } of compiled.feeds) {
        if (symbol !== event.market || interval !== event.interval) continue
        const known = (own.feeds[feed] ??= {
          at: 0,
          opened: -1,
          readings: beginFeed(compiled.programs, feed),
        })
        if (event.opened <= known.opened) continue
        // It is as old as what it tells of: a candle of the past is read for its indicators, and decides nothing.
        known.at = Math.min(state.at, event.opened + intervalMs)
        known.opened = event.opened
        const { open, high, low, close, volume } = event
        addCandle(known.readings, { open, high, low, close, volume })
        changed ||= state.at - known.at <= staleMs
      }
      if (changed) this.#think(turn, name)
    }
  }

  #takeQuote(turn: Turn, { market, bid, ask, last }: QuoteEvent): void {
    const { state } = turn
    state.quotes[market] = { at: state.at, bid, ask, last }
    for (const name of state.running) {
      const compiled = this.#compiled.get(name)
      if (compiled?.ladders.some(({ symbol }) => symbol === market)) this.#think(turn, name)
    }
  }

  #think(turn: Turn, name: string): void {
    const { state } = turn
    const [compiled, own] = [this.#compiled.get(name), state.strategies[name]]
    if (!compiled || !own || state.ending) return
    look(state, compiled, own)
    for (const ladder of compiled.ladders) {
      const mine = own.ladders[ladder.name]
      if (mine) endEpisode(turn, name, ladder, mine)
    }
    judgeRules(turn, compiled, own)
    for (const ladder of compiled.ladders) {
      const mine = own.ladders[ladder.name]
      if (mine) layLadder(turn, compiled, ladder, mine)
    }
    if (state.stopped !== null) return
    withdraw(turn, compiled, own, [])
    placeEntries(turn, compiled, own)
  }
}

function operate(turn: Turn, event: Operator): void {
  const { state, notes } = turn
  const { at } = state
  const { reason } = event
  switch (event.act) {
    case 'stop':
      state.stopped = reason
      notes.push({ type: 'stopped', at, reason })
      return
    case 'halt':
    case 'resume':
      for (const [name, own] of Object.entries(state.strategies)) {
        if (event.strategy !== null && event.strategy !== name) continue
        if (event.act === 'halt') {
          own.halted = reason
          notes.push({ type: 'halted', at, strategy: name, reason })
          continue
        }
        own.halted = null
        own.pauses = {}
        for (const ladder of Object.values(own.ladders)) ladder.frozen = null
        notes.push({ type: 'resumed', at, strategy: name, reason })
      }
      if (event.act === 'resume' && event.strategy === null) state.stopped = null
      return
    case 'resolve': {
      const order = state.orders[event.order]
      if (order?.status !== 'doubtful') return
      if (event.as === 'absent') end(turn, order, `resolved by an operator: ${reason}`)
      else order.status = 'resting'
      notes.push({ type: 'order-resolved', at, ...naming(order), outcome: event.as, reason })
    }
  }
}

import { BotError } from '#src/core/errors/bot-error.ts'
import { newDrift } from './drift.ts'
import { newExits, newHeld } from '#src/engine/holdings/holdings.ts'
import type { LadderState, RuleState, State, StrategyState } from './state.ts'
import { newProfitAndLoss } from '#src/engine/holdings/profit-and-loss.ts'

/** Raise it with every change of the state's type that makes older states unreadable. */
const stateForm = 4

/** A state from a journal, or the first one. */
export function resumedState(state: State | null): State {
  if (state === null) return beginState()
  if (state.form === stateForm) return state
  throw new BotError('DATA_FOREIGN', {
    seen: 'another version of the bot wrote the journal, and the format of its state differs',
    fix: 'Use that version, or name another folder with --state-dir: then the bot does not own the open orders of this one',
  })
}

/** The empty state of a strategy. */
export function beginState(): State {
  return {
    form: stateForm,
    at: 0,
    venue: { capabilities: [], batchMax: 1, clientIds: 'unproven', speed: 1, leverage: null, markets: {} },
    quotes: {},
    account: null,
    strategies: {},
    orders: {},
    chunks: {},
    nextChunk: 1,
    looking: null,
    drift: newDrift(),
    stopped: null,
    ending: false,
    running: [],
    prunedAt: 0,
  }
}

export function beginStrategy(text: string): StrategyState {
  return {
    text,
    feeds: {},
    rules: {},
    ladders: {},
    holdings: {},
    pauses: {},
    halted: null,
    worth: newProfitAndLoss(),
    spent: [],
    sends: [],
    invested: [],
    throttled: { count: 0, until: 0 },
    investing: null,
    investments: 0,
  }
}

export function beginRule(): RuleState {
  return { trueSince: null, firedAt: null, ended: false, firedIn: null, scheduledAt: null }
}

export function beginLadder(): LadderState {
  return {
    goal: 'none',
    episode: 0,
    openedAt: null,
    anchor: null,
    unit: null,
    laidAt: null,
    rungs: [],
    generations: {},
    filled: [],
    filledAt: null,
    held: newHeld(),
    heldSince: null,
    left: null,
    open: {},
    frozen: null,
    exitWaits: {},
    exits: newExits(),
    missing: null,
    writtenOff: null,
    told: null,
    blocked: null,
  }
}

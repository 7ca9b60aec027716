import type { Decimal } from '#src/core/money/decimal.ts'
import { mirrorLabel } from '#src/strategy/schema/exit-labels.ts'
import { closes, exitWords } from '#src/strategy/schema/exit-schema.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import type { StrategyFault } from './strategy-fault.ts'

/** Some venues of the family accept only this length. */
const orderIdLettersMax = 32
/**
 * One level that is replaced every three seconds needs this many order numbers in a year; the parts of a mirror need
 * far fewer.
 */
const generationMost = 9_999_999

/** The paths of these faults start at the ladder. Each names what it reads, so that no other mistake hides it. */
type Faults = Generator<StrategyFault, void, undefined>

/** Contradictions in one ladder whose parts are valid each. */
export function* ladderFaults(strategy: string, name: string, ladder: LadderFile): Faults {
  yield* idFaults(strategy, name, ladder)
  yield* rebaseFaults(ladder)
  if (ladder.flags.postOnly && ladder.flags.rpi) {
    const hint = 'rpi excludes other flags: an rpi order rests or is refused'
    yield { path: ['flags'], from: [['flags']], message: 'rpi and postOnly exclude each other', hint }
  }
  yield* spacingFaults(ladder)
  yield* sizeFaults(ladder)
  yield* exitFaults(ladder)
}

function* exitFaults(ladder: LadderFile): Faults {
  for (const { key, faults = [] } of exitWords(ladder)) {
    for (const fault of faults) {
      const path = ['exit', key, ...fault.path]
      yield { ...fault, path, from: [path, ...(fault.from ?? [])] }
    }
  }
}

function* idFaults(strategy: string, name: string, { exit, side, levels }: LadderFile): Faults {
  const level = `${side === 'both' ? 'b' : ''}${levels}`
  const label = exit?.mirror === undefined ? level : mirrorLabel(level)
  const longest = `${strategy}.${name}.${label}.${generationMost}`
  if (longest.length <= orderIdLettersMax) return
  const message = `order ids such as ${longest} are longer than ${orderIdLettersMax} letters`
  const from = [['levels'], ['side'], ['exit', 'mirror']]
  yield { path: [], from, onKey: true, message, hint: 'shorten the name of the strategy or of the ladder' }
}

function* rebaseFaults({ rebase, anchor, exit }: LadderFile): Faults {
  if (typeof rebase === 'object' && anchor.taken !== 'always') {
    const hint = 'omit "at ...", or rebase'
    const from = [['rebase'], ['anchor']]
    yield { path: ['rebase'], from, message: 'a ladder cannot follow a frozen anchor', hint }
  }
  if (typeof rebase === 'object' && rebase.amend) yield* amendFaults(rebase, exit)
  if (rebase === 'never' && closes({ exit })) {
    const message = 'an exit that closes the position also recomputes the ladder'
    const hint = 'write on_flat, or omit it; a rule with "once: ever" places a ladder only once'
    yield { path: ['rebase'], message, hint }
  }
}

/** While an order is amended it can still fill: the new order is not for the rest, but for the whole rung. */
function* amendFaults(
  { on_fill: followsFills }: Extract<LadderFile['rebase'], object>,
  exit: LadderFile['exit'],
): Faults {
  const path = ['rebase', 'amend']
  if (exit) {
    const message =
      'amend needs a ladder without exit: a rung with an exit is placed again when its position is closed'
    yield { path, from: [path, ['exit']], message, hint: 'omit amend, or exit' }
  }
  if (followsFills) {
    const message =
      'amend has no effect with on_fill: such a ladder places no order before the end of its former orders'
    yield { path, from: [path, ['rebase', 'on_fill']], message, hint: 'omit amend, or on_fill' }
  }
}

function* spacingFaults({ spacing, levels }: LadderFile): Faults {
  if (spacing.kind === 'offsets') {
    const path = ['spacing', 'at']
    yield* oneALevel(spacing.at.length, levels, path, 'distances')
    if (spacing.at.some((offset, index) => index > 0 && offset.lte(spacing.at[index - 1] ?? 0))) {
      const hint = 'write the distances in rising order, each one once'
      yield { path, from: [path], message: 'each distance must be larger than the one before', hint }
    }
  } else if (spacing.kind === 'range') {
    if (spacing.from.gte(spacing.to)) {
      const hint = 'write the lowest price as from and the highest as to'
      yield { path: ['spacing', 'to'], from: [['spacing', 'from']], message: 'must be above from', hint }
    }
    if (levels < 2) {
      const from = [['spacing', 'kind']]
      yield { path: ['levels'], from, message: 'a range has at least two lines', hint: 'write 2 or more' }
    }
  } else if (spacing.step.isZero() && levels > 1) {
    const hint = 'write a step above zero, or levels: 1'
    const from = [['spacing', 'kind'], ['levels']]
    yield { path: ['spacing', 'step'], from, message: 'all rungs would have the same price', hint }
  }
}

function* sizeFaults({ size, levels, exit, side }: LadderFile): Faults {
  if (size.shape.kind === 'list') {
    yield* oneALevel(size.shape.weights.length, levels, ['size', 'shape', 'list'], 'weights')
  }
  const from = [['size']]
  const given = size.total ?? size.first ?? size.risk
  if (size.risk) {
    yield* riskFaults(exit?.stop !== undefined, side)
    if (size.cap?.of === 'base') {
      const hint = 'write it like 2100 quote or 25% equity'
      yield { path: ['size', 'cap'], from, message: 'must be money, as the capital that risk gives', hint }
    }
  } else if (size.cap && size.cap.of !== given?.of) {
    const of = given?.of ?? 'quote'
    const hint = `write the cap in ${of}`
    yield { path: ['size', 'cap'], from, message: 'must have the same unit as the size', hint }
  } else if (size.cap && isFixedAbove(size.total, size.cap.amount) && size.scale_by === undefined) {
    const message = 'cap is less than total: the ladder never uses its total'
    yield { path: ['size', 'cap'], from, message, hint: 'set total to the value of cap, and omit cap' }
  }
  if (size.update !== 'rung') return
  const path = ['size', 'update']
  const isFixed = given && 'amount' in given && given.of !== 'equity' && size.scale_by === undefined
  if (isFixed) {
    const message = 'the size never changes, so a rung that is placed again keeps its amount'
    const hint = 'write a share of equity or an expression as the size, or omit update'
    yield { path, from, message, hint }
  } else if (exit?.mirror === undefined) {
    const message = 'only a rung with a mirror is placed again by itself'
    yield { path, from: [['size'], ['exit']], message, hint: 'add mirror to exit, or omit update' }
  }
}

/** An expression has another value at each time. */
function isFixedAbove(size: LadderFile['size']['total'], most: Decimal): boolean {
  return size !== undefined && 'amount' in size && size.amount.gt(most)
}

/** The size follows from the distance to the stop. */
function* riskFaults(hasStop: boolean, side: LadderFile['side']): Faults {
  const path = ['size', 'risk']
  if (!hasStop) {
    const hint = 'add a stop, such as exit: { stop: { pct: 3% }, cooldown: 10m }, or write total'
    yield { path, from: [['exit']], message: 'needs exit.stop: the loss at the stop gives the capital', hint }
  }
  if (side === 'both') {
    const message = 'a ladder on both sides has no single stop'
    yield { path, from: [['side']], message, hint: 'write total, or one ladder for each side' }
  }
}

function* oneALevel(count: number, levels: number, path: string[], what: string): Faults {
  if (count !== levels) {
    const message = `has ${count} ${what} for ${levels} levels`
    yield { path, from: [path, ['levels']], message, hint: 'write one per level' }
  }
}

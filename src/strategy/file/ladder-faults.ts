import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import type { StrategyFault } from './strategy-fault.ts'
import { closes, cutsLosses, type LadderFile } from '#src/strategy/schema/ladder-schema.ts'

/** Some venues of the family accept only this length. */
const orderIdLettersMax = 32
/**
 * One level that is replaced every three seconds needs this many order numbers in a year; the parts of a mirror need
 * far fewer.
 */
const generationMost = 9_999_999

/** The paths of these faults start at the ladder. */
type Faults = Generator<StrategyFault, void, undefined>

/** Contradictions in one ladder whose parts are valid each. */
export function* ladderFaults(strategy: string, name: string, ladder: LadderFile): Faults {
  yield* idFaults(strategy, name, ladder)
  yield* rebaseFaults(ladder)
  if (ladder.flags.postOnly && ladder.flags.rpi) {
    const hint = 'rpi excludes other flags: an rpi order rests or is refused'
    yield { path: ['flags'], message: 'rpi and postOnly exclude each other', hint }
  }
  yield* spacingFaults(ladder)
  yield* sizeFaults(ladder)
  yield* exitFaults(ladder)
}

function* idFaults(strategy: string, name: string, { exit, side, levels }: LadderFile): Faults {
  const label = `${exit?.mirror === undefined ? '' : 'm'}${side === 'both' ? 'b' : ''}${levels}`
  const longest = `${strategy}.${name}.${label}.${generationMost}`
  if (longest.length <= orderIdLettersMax) return
  const message = `order ids such as ${longest} are longer than ${orderIdLettersMax} letters`
  yield { path: [], onKey: true, message, hint: 'shorten the name of the strategy or of the ladder' }
}

function* rebaseFaults({ rebase, anchor, exit }: LadderFile): Faults {
  if (typeof rebase === 'object' && anchor.taken !== 'always') {
    const hint = 'omit "at ...", or rebase'
    yield { path: ['rebase'], message: 'a ladder cannot follow a frozen anchor', hint }
  }
  if (rebase === 'never' && closes({ exit })) {
    const message = 'an exit that closes the position also recomputes the ladder'
    const hint = 'write on_flat, or omit it; a rule with "once: ever" places a ladder only once'
    yield { path: ['rebase'], message, hint }
  }
}

function* spacingFaults({ spacing, levels }: LadderFile): Faults {
  if (spacing.kind === 'offsets') {
    const path = ['spacing', 'at']
    yield* oneALevel(spacing.at.length, levels, path, 'distances')
    if (spacing.at.some((offset, index) => index > 0 && offset.lte(spacing.at[index - 1] ?? 0))) {
      yield { path, message: 'each distance must be larger than the one before' }
    }
  } else if (spacing.kind === 'range') {
    if (spacing.from.gte(spacing.to)) yield { path: ['spacing', 'to'], message: 'must be above from' }
    if (levels < 2) yield { path: ['levels'], message: 'a range has at least two lines' }
  } else if (spacing.step.isZero() && levels > 1) {
    yield { path: ['spacing', 'step'], message: 'all rungs would have the same price' }
  }
}

function* sizeFaults({ size, levels }: LadderFile): Faults {
  if (size.shape.kind === 'list') {
    yield* oneALevel(size.shape.weights.length, levels, ['size', 'shape', 'list'], 'weights')
  }
  if (size.cap && size.cap.of !== (size.total ?? size.first)?.of) {
    yield { path: ['size', 'cap'], message: 'must have the same unit as the size' }
  } else if (size.cap && size.total?.amount.gt(size.cap.amount) && size.scale_by === undefined) {
    const message = 'cap is less than total: the ladder never uses its total'
    yield { path: ['size', 'cap'], message, hint: 'set total to the value of cap, and omit cap' }
  }
}

function* exitFaults({ exit, side, levels, spacing }: LadderFile): Faults {
  if (!exit) return
  const { mirror, stop, tp, trail } = exit
  if (mirror !== undefined && mirror >= levels) {
    yield { path: ['exit', 'mirror'], message: `must be less than the ${levels} levels` }
  }
  // A mirror sells the whole amount of its entry: another exit would sell it twice.
  for (const other of ['tp', 'at'] as const) {
    if (mirror === undefined || exit[other] === undefined) continue
    const message = 'cannot be combined with mirror, which sells all that was bought'
    yield { path: ['exit', other], message, hint: 'use one of the two' }
  }
  // A bought position has its stop below the price and a sold one its take profit; a price cannot fall by 100 %.
  const falls = {
    stop: side === 'sell' ? undefined : stop?.pct,
    tp: side === 'sell' ? tp && tp.pct.plus(tp.gap.times(tp.split.length - 1)) : undefined,
  }
  for (const part of ['stop', 'tp'] as const) {
    if (!falls[part]?.gte(1)) continue
    const message = `a price cannot fall by ${decimalText(falls[part].times(100))}%`
    yield { path: ['exit', part, 'pct'], message, hint: 'write less than 100%' }
  }
  if (tp) {
    const sum = tp.split.reduce((sum, part) => sum.plus(part), new Decimal(0))
    if (!sum.eq(1)) {
      yield { path: ['exit', 'tp', 'split'], message: `the parts add up to ${decimalText(sum)}, not to 1` }
    }
    if (side === 'both') {
      yield {
        path: ['exit', 'tp'],
        message: 'a ladder on both sides has no single average entry',
        hint: 'use mirror',
      }
    }
  }
  if (exit.cooldown !== undefined && !cutsLosses({ exit })) {
    const message = 'has no effect without stop, trail or max_age'
    yield { path: ['exit', 'cooldown'], message, hint: 'add one of them, or omit it' }
  }
  if (trail?.retrace.isZero()) {
    const message = 'retrace must be above zero: 0 closes the position at the first price that is not better'
    yield { path: ['exit', 'trail', 'retrace'], message, hint: 'write it like 0.5 x unit' }
  }
  if (trail && spacing.kind !== 'volatility') {
    const hint = 'use spacing with kind: volatility'
    yield { path: ['exit', 'trail'], message: 'this spacing has no unit for a trail', hint }
  }
}

function* oneALevel(count: number, levels: number, path: string[], what: string): Faults {
  if (count !== levels) {
    yield { path, message: `has ${count} ${what} for ${levels} levels`, hint: 'write one per level' }
  }
}

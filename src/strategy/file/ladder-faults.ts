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

/** The paths of these faults start at the ladder. */
type Faults = Generator<StrategyFault, void, undefined>

/** Contradictions in one ladder whose parts are valid each. */
export function* ladderFaults(strategy: string, name: string, ladder: LadderFile): Faults {
  yield* reading(['levels', 'side', 'exit'], idFaults(strategy, name, ladder))
  yield* reading(['rebase', 'anchor', 'exit'], rebaseFaults(ladder))
  if (ladder.flags.postOnly && ladder.flags.rpi) {
    const hint = 'rpi excludes other flags: an rpi order rests or is refused'
    yield { path: ['flags'], from: [['flags']], message: 'rpi and postOnly exclude each other', hint }
  }
  yield* reading(['spacing', 'levels'], spacingFaults(ladder))
  yield* reading(['size', 'levels'], sizeFaults(ladder))
  yield* reading(['exit', 'levels', 'side', 'spacing'], exitFaults(ladder))
}

/** These faults follow from the values of these keys. */
function* reading(keys: (keyof LadderFile)[], faults: Faults): Faults {
  const from = keys.map((key) => [key])
  for (const fault of faults) yield { ...fault, from }
}

function* exitFaults(ladder: LadderFile): Faults {
  for (const { key, faults = [] } of exitWords(ladder))
    for (const fault of faults) yield { ...fault, path: ['exit', key, ...fault.path] }
}

function* idFaults(strategy: string, name: string, { exit, side, levels }: LadderFile): Faults {
  const level = `${side === 'both' ? 'b' : ''}${levels}`
  const label = exit?.mirror === undefined ? level : mirrorLabel(level)
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
      const hint = 'write the distances in rising order, each one once'
      yield { path, message: 'each distance must be larger than the one before', hint }
    }
  } else if (spacing.kind === 'range') {
    if (spacing.from.gte(spacing.to)) {
      const hint = 'write the lowest price as from and the highest as to'
      yield { path: ['spacing', 'to'], message: 'must be above from', hint }
    }
    if (levels < 2)
      yield { path: ['levels'], message: 'a range has at least two lines', hint: 'write 2 or more' }
  } else if (spacing.step.isZero() && levels > 1) {
    const hint = 'write a step above zero, or levels: 1'
    yield { path: ['spacing', 'step'], message: 'all rungs would have the same price', hint }
  }
}

function* sizeFaults({ size, levels }: LadderFile): Faults {
  if (size.shape.kind === 'list') {
    yield* oneALevel(size.shape.weights.length, levels, ['size', 'shape', 'list'], 'weights')
  }
  if (size.cap && size.cap.of !== (size.total ?? size.first)?.of) {
    const of = (size.total ?? size.first)?.of ?? 'quote'
    const hint = `write the cap in ${of}`
    yield { path: ['size', 'cap'], message: 'must have the same unit as the size', hint }
  } else if (size.cap && size.total?.amount.gt(size.cap.amount) && size.scale_by === undefined) {
    const message = 'cap is less than total: the ladder never uses its total'
    yield { path: ['size', 'cap'], message, hint: 'set total to the value of cap, and omit cap' }
  }
}

function* oneALevel(count: number, levels: number, path: string[], what: string): Faults {
  if (count !== levels) {
    yield { path, message: `has ${count} ${what} for ${levels} levels`, hint: 'write one per level' }
  }
}

import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { cutsLosses, exitSchema, lossCutsText, type ExitFile } from '#src/strategy/schema/exit-schema.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { durationText, percentText } from '#src/strategy/schema/quantities.ts'
import type { StrategyFault } from './strategy-fault.ts'

type Values = { [Key in keyof ExitFile]-?: NonNullable<ExitFile[Key]> }
/** `text`: the line in `rungs check`. `faults`: contradictions to the rest of the ladder; their paths start at the value. */
type ExitWords = { text: string; faults?: StrategyFault[] }

/** What can stand below `exit` in a ladder. The type makes `tsc` report a key of the schema that is missing here. */
const exitRows: { [Key in keyof Values]: (value: Values[Key], ladder: LadderFile) => ExitWords } = {
  mirror: (lines, { levels }) => ({
    text: `each fill places an order on the other side, ${lines === 1 ? 'a level' : `${lines} levels`} away`,
    faults: faultIf(lines >= levels, `must be less than the ${levels} levels`),
  }),
  tp: ({ pct, split, gap, mode }, ladder) => {
    const apart = gap.isZero() ? '' : `, ${percentText(gap)} apart`
    const parts = split.length === 1 ? '' : `, in parts of ${split.map(decimalText).join(' + ')}${apart}`
    const how = mode === 'resting' ? 'resting' : 'on touch'
    const sum = Decimal.sum(...split)
    const { side } = ladder
    return {
      text: `take profit ${percentText(pct)} from the average entry${parts}, ${how}`,
      faults: [
        ...besideMirror(ladder),
        // A position that was sold takes its profit below the price.
        ...(side === 'sell' ? impossibleFall(pct.plus(gap.times(split.length - 1))) : []),
        ...faultIf(!sum.eq(1), `the parts add up to ${decimalText(sum)}, not to 1`, undefined, 'split'),
        ...faultIf(side === 'both', 'a ladder on both sides has no single average entry', 'use mirror'),
      ],
    }
  },
  at: (price, ladder) => ({ text: `take profit at ${price}`, faults: besideMirror(ladder) }),
  stop: ({ pct }, { side }) => ({
    text: `stop ${percentText(pct)} from the average entry, on touch`,
    faults: side === 'sell' ? [] : impossibleFall(pct),
  }),
  trail: ({ activate, retrace }, { spacing }) => {
    const [ahead, back] = [decimalText(activate), decimalText(retrace)]
    const atOnce = 'retrace must be above zero: 0 closes the position at the first price that is not better'
    const unitless = 'this spacing has no unit for a trail'
    return {
      text: `trailing stop: starts ${ahead} x unit in profit, exits ${back} x unit below the best`,
      faults: [
        ...faultIf(retrace.isZero(), atOnce, 'write it like 0.5 x unit', 'retrace'),
        ...faultIf(spacing.kind !== 'volatility', unitless, 'use spacing with kind: volatility'),
      ],
    }
  },
  max_age: (age) => ({ text: `exits ${durationText(age)} after the first fill` }),
  cooldown: (span, ladder) => ({
    text: `after a ${lossCutsText} no entries for ${durationText(span)}`,
    faults: faultIf(
      !cutsLosses(ladder),
      `has no effect without ${lossCutsText}`,
      'add one of them, or omit it',
    ),
  }),
}

/** A mirror sells the whole amount of its entry: another exit would sell it twice. */
function besideMirror({ exit }: LadderFile): StrategyFault[] {
  const message = 'cannot be combined with mirror, which sells all that was bought'
  return faultIf(exit?.mirror !== undefined, message, 'use one of the two')
}

function impossibleFall(by: Decimal): StrategyFault[] {
  const message = `a price cannot fall by ${decimalText(by.times(100))}%`
  return faultIf(by.gte(1), message, 'write less than 100%', 'pct')
}

function faultIf(isWrong: boolean, message: string, hint?: string, ...path: string[]): StrategyFault[] {
  return isWrong ? [{ path, message, hint }] : []
}

/** The words of each exit of a ladder. */
export function exitWords(ladder: LadderFile): (ExitWords & { key: string })[] {
  const { exit = {} }: { exit?: { [Key in keyof Values]?: Values[Key] | undefined } | undefined } = ladder
  const words = <Key extends keyof Values>(key: Key, value = exit[key]) =>
    value === undefined ? [] : [{ key, ...exitRows[key](value, ladder) }]
  return exitSchema.keyof().options.flatMap((key) => words(key))
}

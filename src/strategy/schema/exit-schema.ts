import { z } from 'zod'
import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import {
  count,
  optionalDuration,
  durationText,
  expression,
  part,
  percent,
  percentText,
  somePercent,
  trailDistance,
} from './quantities.ts'

const avgEntry = z.literal('avg_entry').default('avg_entry')
const mode = z.enum(['resting', 'on_touch_ioc']).default('on_touch_ioc')

/** These exits cut a loss or secure a gain: a cooldown follows them. */
const lossCuts = z.strictObject({
  stop: z
    .strictObject({
      from: avgEntry,
      pct: somePercent,
      mode: mode.describe('resting: a conditional order at the venue, which works without the bot'),
    })
    .optional(),
  trail: z
    .strictObject({ activate: trailDistance, retrace: trailDistance })
    .optional()
    .describe('Trailing stop: starts at a profit, closes when the price retraces'),
  break_even: z
    .strictObject({ activate: somePercent, at: percent.prefault('0%') })
    .optional()
    .describe('Stop at the average entry, or above it, once the price has been in profit'),
  max_age: optionalDuration().describe('Closes the position this long after its first fill'),
})

/** These exits close the whole position of a ladder by immediate orders. */
const wholeExits = z.strictObject({
  at: expression.optional().describe('Take profit at this price'),
  ...lossCuts.shape,
})

const lossCutNames = lossCuts.keyof().options
export const wholeExitNames = wholeExits.keyof().options
export const lossCutsText = listText(lossCutNames, 'or')

export const exitSchema = z.strictObject({
  mirror: count(10, '1').optional().describe('Distance in levels of the opposite order that a fill places'),
  earn: z
    .enum(['quote', 'base'])
    .optional()
    .describe(
      'What mirrors earn. quote (default): they sell all that their rung bought. base: only as much as pays what it cost',
    ),
  tp: z
    .strictObject({
      from: avgEntry,
      pct: percent,
      split: z
        .array(part)
        .min(1)
        .max(10)
        .prefault(['1'])
        .describe('Parts of the position; they add up to 1')
        .meta({ examples: [['0.5', '0.5']] }),
      gap: percent.prefault('0%').describe('Distance of each part from the part before'),
      mode,
    })
    .optional()
    .describe('Take profit, measured from the average entry'),
  ...wholeExits.shape,
  cooldown: optionalDuration().describe(
    `After a ${lossCutsText} closed the position, no entries for this time; then the ladder takes a new anchor`,
  ),
})

export type ExitFile = z.output<typeof exitSchema>

/**
 * The labels of the exits of a whole position, in the order in which they are checked: the first one that is due closes it. A
 * label is part of each client order id and of each journal, so none ever changes. Flattening is the exit of a halt, and `close`
 * the action of a rule.
 */
export const wholeLabels = {
  flatten: 'fl',
  close: 'cl',
  stop: 'st',
  trail: 'tr',
  break_even: 'be',
  at: 'at',
  max_age: 'ag',
} as const satisfies Record<keyof z.output<typeof wholeExits> | 'flatten' | 'close', string>

/** A distance of a trailing exit, for people. */
export function distanceText({ of, by }: z.output<typeof trailDistance>): string {
  return of === 'unit' ? `${decimalText(by)} x unit` : percentText(by)
}

type Exits = { exit?: ExitFile | undefined }

/** Whether a cooldown can follow an exit of the ladder. */
export function cutsLosses({ exit }: Exits): boolean {
  return lossCutNames.some((name) => exit?.[name] !== undefined)
}

export function isLossCut(name: string): boolean {
  return lossCutNames.some((each) => each === name)
}

/** Whether the ladder can exit as a whole, by any exit except the mirror: that ends its episodes. */
export function closes({ exit }: Exits): boolean {
  return exit?.tp !== undefined || wholeExitNames.some((name) => exit?.[name] !== undefined)
}

/** Whether the stop of the ladder is an order at the venue. */
export function stopRests({ exit }: Exits): boolean {
  return exit?.stop?.mode === 'resting'
}

export function listText(names: readonly string[], last: 'and' | 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1) ?? ''}`
}

type Values = { [Key in keyof ExitFile]-?: NonNullable<ExitFile[Key]> }
/**
 * `text`: the line in `rungs check`. `faults`: contradictions to the rest of the ladder, and `from` the other places of the
 * ladder that each one reads. `edge`: what raises its profit, if its price is known. Paths start at the value.
 */
type ExitWords = { text: string; faults?: StrategyFault[]; edge?: { path: string[]; hint: string } }
/** What exits read of their ladder. */
type ExitLadderFile = Exits & {
  levels: number
  side: 'buy' | 'sell' | 'both'
  spacing: { kind: string }
  rebase?: unknown
}

/** What can stand below `exit` in a ladder. The type makes `tsc` report a key of the schema that is missing here. */
const exitRows: { [Key in keyof Values]: (value: Values[Key], ladder: ExitLadderFile) => ExitWords } = {
  mirror: (lines, { levels }) => ({
    text: `each fill places an order on the other side, ${lines === 1 ? 'a level' : `${lines} levels`} away`,
    faults: faultIf(lines >= levels, {
      message: `must be less than the ${levels} levels`,
      from: [['levels']],
      hint: 'use a smaller mirror or more levels',
    }),
    edge: { path: [], hint: 'use wider steps, fewer levels or a larger mirror' },
  }),
  earn: (unit, { side, exit, rebase }) => ({
    text:
      unit === 'base'
        ? 'mirrors sell only what pays the cost of their rung and both fees, and the rest stays'
        : 'mirrors sell all that their rung bought',
    faults: [
      ...faultIf(exit?.mirror === undefined, {
        message: 'has no effect without mirror',
        from: [['exit']],
        hint: 'add mirror, or omit earn',
      }),
      ...faultIf(unit === 'base' && side !== 'buy', {
        message: 'only a ladder that buys first can keep a part of what it bought',
        from: [['side']],
        hint: 'write side: buy, or omit earn',
      }),
      ...faultIf(unit === 'base' && rebase === 'on_flat', {
        message: 'a ladder that keeps a part of what it buys is never flat',
        from: [['rebase']],
        hint: 'omit rebase: on_flat, or earn',
      }),
    ],
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
        ...(side === 'sell' ? impossibleFall(pct.plus(gap.times(split.length - 1)), ['exit', 'tp']) : []),
        ...faultIf(!sum.eq(1), {
          path: ['split'],
          message: `the parts add up to ${decimalText(sum)}, not to 1`,
          hint: 'write it like [0.5, 0.5]',
        }),
        ...faultIf(side === 'both', {
          message: 'a ladder on both sides has no single average entry',
          from: [['side']],
          hint: 'use mirror',
        }),
      ],
      edge: { path: ['pct'], hint: 'raise tp.pct' },
    }
  },
  at: (price, ladder) => ({ text: `take profit at ${price}`, faults: besideMirror(ladder) }),
  stop: ({ pct, mode }, { side }) => ({
    text: `stop ${percentText(pct)} from the average entry, ${mode === 'resting' ? 'resting at the venue' : 'on touch'}`,
    faults: side === 'sell' ? [] : impossibleFall(pct),
  }),
  trail: ({ activate, retrace }, { spacing }) => {
    const [ahead, back] = [distanceText(activate), distanceText(retrace)]
    const isInUnits = activate.of === 'unit' || retrace.of === 'unit'
    const atOnce = 'retrace must be above zero: 0 closes the position at the first price that is not better'
    return {
      text: `trailing stop: starts ${ahead} in profit, exits ${back} below the best`,
      faults: [
        ...faultIf(retrace.by.isZero(), {
          path: ['retrace'],
          message: atOnce,
          hint: 'write it like 0.5 x unit or 1%',
        }),
        ...faultIf(isInUnits && spacing.kind !== 'volatility', {
          message: 'this spacing has no unit for a trail',
          from: [['spacing', 'kind']],
          hint: 'write percentages such as 2%, or use spacing with kind: volatility',
        }),
      ],
    }
  },
  break_even: ({ activate, at }) => ({
    text: `from ${percentText(activate)} in profit on, stop ${percentText(at)} beyond the average entry`,
    faults: faultIf(at.gte(activate), {
      path: ['at'],
      message: 'must be less than activate: otherwise the stop closes the position as soon as it is active',
      hint: 'use a smaller at or a larger activate',
    }),
  }),
  max_age: (age) => ({ text: `exits ${durationText(age)} after the first fill` }),
  cooldown: (span, ladder) => ({
    text: `after a ${lossCutsText} no entries for ${durationText(span)}`,
    faults: faultIf(!cutsLosses(ladder), {
      message: `has no effect without ${lossCutsText}`,
      // An unknown key there may be one of them.
      from: [['exit']],
      hint: 'add one of them, or omit it',
    }),
  }),
}

/** A mirror sells the whole amount of its entry: another exit would sell it twice. */
function besideMirror({ exit }: ExitLadderFile): StrategyFault[] {
  return faultIf(exit?.mirror !== undefined, {
    message: 'cannot be combined with mirror, which sells all that was bought',
    from: [['exit', 'mirror']],
    hint: 'use one of the two',
  })
}

/** `others`: what raises the fall beside `pct`. */
function impossibleFall(by: Decimal, ...others: string[][]): StrategyFault[] {
  return faultIf(by.gte(1), {
    path: ['pct'],
    message: `a price cannot fall by ${decimalText(by.times(100))}%`,
    from: [['side'], ...others],
    hint: 'write less than 100%',
  })
}

function faultIf(
  isWrong: boolean,
  fault: Omit<StrategyFault, 'path'> & { path?: string[] },
): StrategyFault[] {
  return isWrong ? [{ path: [], ...fault }] : []
}

/** The words of each exit of a ladder. */
export function exitWords(ladder: ExitLadderFile): (ExitWords & { key: string })[] {
  const { exit = {} }: { exit?: { [Key in keyof Values]?: Values[Key] | undefined } | undefined } = ladder
  const words = <Key extends keyof Values>(key: Key, value = exit[key]) =>
    value === undefined ? [] : [{ key, ...exitRows[key](value, ladder) }]
  return exitSchema.keyof().options.flatMap((key) => words(key))
}

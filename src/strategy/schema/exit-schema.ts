import { z } from 'zod'
import { count, duration, expression, percent, positive, somePercent, unitMultiple } from './quantities.ts'

const avgEntry = z.literal('avg_entry').default('avg_entry')
const touch = z.literal('on_touch_ioc').default('on_touch_ioc')

/** These exits cut a loss or secure a gain: a cooldown follows them. */
const lossCuts = z.strictObject({
  stop: z.strictObject({ from: avgEntry, pct: somePercent, mode: touch }).optional(),
  trail: z
    .strictObject({ activate: unitMultiple, retrace: unitMultiple })
    .optional()
    .describe('Trailing stop: starts at a profit, closes when the price retraces'),
  max_age: duration.optional().describe('Closes the position this long after its first fill'),
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
  mirror: count(10).optional().describe('Distance in levels of the opposite order that a fill places'),
  tp: z
    .strictObject({
      from: avgEntry,
      pct: percent,
      split: z
        .array(positive)
        .min(1)
        .max(10)
        .prefault(['1'])
        .describe('Parts of the position; they add up to 1'),
      gap: percent.prefault('0%').describe('Distance of each part from the part before'),
      mode: z.enum(['resting', 'on_touch_ioc']).default('on_touch_ioc'),
    })
    .optional()
    .describe('Take profit, measured from the average entry'),
  ...wholeExits.shape,
  cooldown: duration
    .optional()
    .describe(
      `After a ${lossCutsText} closed the position, no entries for this time; then the ladder takes a new anchor`,
    ),
})

export type ExitFile = z.output<typeof exitSchema>
export type WholeExitName = keyof z.output<typeof wholeExits>

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

export function listText(names: readonly string[], last: 'and' | 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1) ?? ''}`
}

import {
  readExitLabel,
  wholeLabels,
  wholeNames,
  type LeavingLabel,
  type WholeName,
} from '#src/strategy/schema/exit-labels.ts'
import type { LadderExit } from './exit-orders.ts'
import { at } from './kinds/at.ts'
import type { ExitKind, Marks } from './kinds/exit-kind.ts'
import { flatten } from './kinds/flatten.ts'
import { maxAge } from './kinds/max-age.ts'
import { stop } from './kinds/stop.ts'
import { trail } from './kinds/trail.ts'

/** The exits of a whole position. */
const wholeExits: Readonly<Record<WholeName, ExitKind>> = { flatten, stop, trail, at, max_age: maxAge }

type AllMarks = Readonly<Record<WholeName, Marks>>

export function marksOf(leaving: LadderExit): AllMarks {
  return {
    flatten: flatten.marks(leaving),
    stop: stop.marks(leaving),
    trail: trail.marks(leaving),
    at: at.marks(leaving),
    max_age: maxAge.marks(leaving),
  }
}

/** The exit that begins to close the whole position now. `at` closes it only while its price lasts. */
export function dueNow(leaving: LadderExit, marks: AllMarks): LeavingLabel | null {
  for (const name of wholeNames)
    if (name !== 'at' && wholeExits[name].isDue(leaving, marks[name])) return wholeLabels[name]
  return null
}

/** By the label of its orders; undefined for mirrors and take profits. */
export function wholeExitOf(label: string): ExitKind | undefined {
  const exit = readExitLabel(label)
  return exit === null || 'key' in exit || 'part' in exit ? undefined : wholeExits[exit.name]
}

import type { LeavingLabel, WholeLabel } from './exit-labels.ts'
import type { LadderExit } from './exit-orders.ts'
import { at } from './kinds/at.ts'
import type { ExitKind, Marks } from './kinds/exit-kind.ts'
import { flatten } from './kinds/flatten.ts'
import { maxAge } from './kinds/max-age.ts'
import { stop } from './kinds/stop.ts'
import { trail } from './kinds/trail.ts'

/** The exits of a whole position, by the label of their orders. The first one that is due closes the position. */
export const wholeExits: Readonly<Record<WholeLabel, ExitKind>> = {
  fl: flatten,
  st: stop,
  tr: trail,
  at,
  ag: maxAge,
}

type AllMarks = Readonly<Record<WholeLabel, Marks>>

export function marksOf(leaving: LadderExit): AllMarks {
  return {
    fl: flatten.marks(leaving),
    st: stop.marks(leaving),
    tr: trail.marks(leaving),
    at: at.marks(leaving),
    ag: maxAge.marks(leaving),
  }
}

/** In the order in which they are checked. */
export const wholeLabels: readonly WholeLabel[] = labelsIn(wholeExits)

function labelsIn(table: typeof wholeExits): WholeLabel[] {
  const labels: WholeLabel[] = []
  let label: WholeLabel
  for (label in table) labels.push(label)
  return labels
}

/** The exit that begins to close the whole position now. `at` closes it only while its price lasts. */
export function dueNow(leaving: LadderExit, marks: AllMarks): LeavingLabel | null {
  for (const label of wholeLabels)
    if (label !== 'at' && wholeExits[label].isDue(leaving, marks[label])) return label
  return null
}

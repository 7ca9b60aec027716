import {
  readExitLabel,
  wholeNames,
  type ExitLabel,
  type ExitName,
  type WholeLabel,
} from '#src/strategy/schema/exit-labels.ts'
import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import type { Decimal } from '#src/core/money/decimal.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import type { LadderExit } from './exit-orders.ts'
import { at } from './kinds/at.ts'
import type { ExitKind, Marks } from './kinds/exit-kind.ts'
import { breakEven } from './kinds/break-even.ts'
import { close, isPosting } from './kinds/close.ts'
import { flatten } from './kinds/flatten.ts'
import { maxAge } from './kinds/max-age.ts'
import { mirror } from './kinds/mirror.ts'
import { stop } from './kinds/stop.ts'
import { takeProfit } from './kinds/take-profit.ts'
import { trail } from './kinds/trail.ts'

const exitKinds: Readonly<Record<ExitName, ExitKind>> = {
  mirror,
  take_profit: takeProfit,
  flatten,
  close,
  stop,
  trail,
  break_even: breakEven,
  at,
  max_age: maxAge,
}
const names = keysOf(exitKinds)

/** What an exit would do, in words; undefined for the label of a rung. */
export function exitKindOf(label: string): (ExitKind & { key: string }) | undefined {
  const exit = readExitLabel(label)
  return exit === null ? undefined : { ...exitKinds[exit.name], key: exit.key }
}

/** The prices of all exits. Orders do not change them, so an evaluation computes each of them once. */
export type ExitMarks = ReadonlyMap<ExitName, Marks>

export function marksOf(leaving: LadderExit): ExitMarks {
  return new Map(names.map((name) => [name, exitKinds[name].marks(leaving)]))
}

/** The exit that closes the whole position now. An action that closes by orders that rest gives way to all others. */
export function dueNow(leaving: LadderExit, all: ExitMarks): WholeLabel | null {
  let posted: WholeLabel | null = null
  for (const name of wholeNames) {
    const { lasts, isDue } = exitKinds[name]
    const marks = lasts ? all.get(name) : undefined
    if (!marks || !isDue(leaving, marks)) continue
    if (name !== 'close' || !isPosting(leaving)) return wholeLabels[name]
    posted = wholeLabels.close
  }
  return posted
}

/** Exits that close the whole position only while their price lasts. */
export function passingExits(
  leaving: LadderExit,
  all: ExitMarks,
): { label: ExitLabel; price: Decimal; isDue: boolean }[] {
  return wholeNames.flatMap((name) => {
    const { lasts, isDue } = exitKinds[name]
    const marks = lasts ? undefined : all.get(name)
    return marks?.price
      ? [{ label: wholeLabels[name], price: marks.price, isDue: isDue(leaving, marks) }]
      : []
  })
}

/** Exits that follow the price move with it. */
export function followPrice(leaving: LadderExit): void {
  for (const { follow, marks } of Object.values(exitKinds)) follow?.(leaving, marks(leaving))
}

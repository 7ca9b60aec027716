import { draftText, type Counted } from '#src/draft/draft.ts'
import type { Place } from '#src/draft/bounds.ts'
import type { Draft } from '#src/draft/kinds.ts'
import { decimalText } from '#src/money/decimal.ts'
import type { Preview } from '#src/strategy/preview.ts'
import { readStrategyText, type Read } from '#src/strategy/read.ts'
import type { Problem } from '#src/strategy/sources.ts'
import { judge } from '#src/runtime/judge.ts'
import type { VenueRules } from '#src/runtime/check-rules.ts'

export type Drafted = {
  text: string
  read: Read | undefined
  problems: Problem[]
  preview: Preview | undefined
}

/** A draft that was held to all that `rungs check` looks at: once to count its rungs and its worst case, and once with them. */
export function drafted(draft: Draft, place: Place, rules: VenueRules, schemaPath: string): Drafted {
  const first = judged(draftText(draft, place, schemaPath), rules)
  if (first.preview === undefined) return first
  return judged(draftText(draft, place, schemaPath, countedIn(first.preview)), rules)
}

function judged(text: string, rules: VenueRules): Drafted {
  const read = readStrategyText(text)
  if (Array.isArray(read)) return { text, read: undefined, problems: read, preview: undefined }
  return { text, read, ...judge(read, rules) }
}

function countedIn({ worstLoss, ladders }: Preview): Counted {
  const rungs = ladders.map((ladder): [string, string[]] => {
    const placed = 'placed' in ladder ? ladder.placed.rungs : []
    return [
      ladder.name,
      placed.map(({ side, amount, price }) => `${side} ${decimalText(amount)} at ${decimalText(price)}`),
    ]
  })
  return { loss: worstLoss, rungs: new Map(rungs) }
}

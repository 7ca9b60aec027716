import { draftText, type Counted } from '#src/strategy/draft/draft-text.ts'
import type { DraftPlace } from '#src/strategy/draft/bounds.ts'
import type { StrategyDraft } from '#src/strategy/draft/kinds.ts'
import { decimalText } from '#src/core/money/decimal.ts'
import type { Preview } from '#src/strategy/check/preview.ts'
import { readStrategyText, type Read } from '#src/strategy/file/read-strategy.ts'
import type { Problem } from '#src/strategy/file/base-files.ts'
import { checkStrategy } from '#src/runtime/compose/strategy-check.ts'
import type { VenueRules } from '#src/runtime/compose/venue-rules.ts'

export type Drafted = {
  text: string
  read: Read | undefined
  problems: Problem[]
  preview: Preview | undefined
}

/** Checks a draft like `rungs check`: once to count its rungs and its worst case, and once with them. */
export function drafted(
  draft: StrategyDraft,
  place: DraftPlace,
  rules: VenueRules,
  schemaPath: string,
): Drafted {
  const first = judged(draftText(draft, place, schemaPath), rules)
  if (first.preview === undefined) return first
  return judged(draftText(draft, place, schemaPath, countedIn(first.preview)), rules)
}

function judged(text: string, rules: VenueRules): Drafted {
  const read = readStrategyText(text)
  if (Array.isArray(read)) return { text, read: undefined, problems: read, preview: undefined }
  return { text, read, ...checkStrategy(read, rules) }
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

import { draftText } from '#src/strategy/draft/draft-text.ts'
import type { DraftPlace } from '#src/strategy/draft/bounds.ts'
import type { StrategyDraft } from '#src/strategy/draft/kinds.ts'
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

/** Checks a draft like `rungs check`: once to compute the loss of its worst case, and once with this loss. */
export function drafted(
  draft: StrategyDraft,
  place: DraftPlace,
  rules: VenueRules,
  schemaPath: string,
): Drafted {
  const first = judged(draftText(draft, place, schemaPath), rules)
  if (first.preview === undefined) return first
  return judged(draftText(draft, place, schemaPath, first.preview.worstLoss), rules)
}

function judged(text: string, rules: VenueRules): Drafted {
  const read = readStrategyText(text)
  if (Array.isArray(read)) return { text, read: undefined, problems: read, preview: undefined }
  return { text, read, ...checkStrategy(read, rules) }
}

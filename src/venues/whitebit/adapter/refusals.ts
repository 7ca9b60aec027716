import type { OrderAnswer, Refusal, RefusedOrder } from '#src/engine/events.ts'
import { isIdTaken } from '#src/venues/whitebit/client/answers/bulk-answer.ts'
import type { NotSent, RefusedOutcome, UnknownOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'

/** Codes that state the reason. Any other code, such as 30 and 32, is of validation as a whole and may mean anything. */
const codes: ReadonlyMap<number, Refusal> = new Map([
  ...[13, 14].map((code) => [code, 'would-take'] as const),
  ...[11, 33, 37, 40, 41, 43].map((code) => [code, 'breaks-rule'] as const),
  ...[10, 17, 111, 112].map((code) => [code, 'no-funds'] as const),
  [250, 'price-band'],
  ...[12, 15, 16].map((code) => [code, 'transient'] as const),
])

/** Wordings, for refusals whose code and fields do not state the reason. The first match counts. */
const wordings: readonly [Refusal, RegExp][] = [
  ['would-take', /maker|post.?only|would (?:take|cross|match)/i],
  [
    'breaks-rule',
    new RegExp(
      [
        String.raw`\bmin(?:imum|imal)?\b|\bsteps?\b|multiple of|precision|too (?:large|small)\b`,
        String.raw`total\b.*\b(?:less|more|greater) than|\b(?:field|flag)\b|hedge mode`,
      ].join('|'),
      'i',
    ),
  ],
  ['no-funds', /not enough|insufficient|balance/i],
  ['price-band', /out of (?:the )?(?:price )?bands?\b/i],
  ['throttled', /too many|rate limit/i],
]

/** The class of a refusal, by its code, then by the fields it names, then by its wording. */
export function refusalOf({
  code,
  fields = [],
  message,
}: Pick<RefusedOrder, 'code' | 'fields' | 'message'>): Refusal {
  const known = codes.get(code ?? -1)
  if (known) return known
  if (fields.includes('postOnly')) return 'would-take'
  return wordings.find(([, pattern]) => pattern.test(message))?.[0] ?? 'unknown-text'
}

/** A refusal of one order, with the details of the venue as its message. */
export function refusedAnswer(
  { code, errors, message: text }: Pick<RefusedOutcome, 'code' | 'errors' | 'message'>,
  alreadyUsed: boolean,
): RefusedOrder {
  const details = Object.values(errors).flat().join('; ')
  const message = details === '' ? text : details
  const fields = Object.keys(errors)
  return {
    kind: 'refused',
    code,
    message,
    alreadyUsed,
    fields,
    refusal: refusalOf({ code, fields, message }),
  }
}

/** The answer for an order that was alone in its request, and was not accepted. */
export function notAccepted(outcome: RefusedOutcome | NotSent | UnknownOutcome): OrderAnswer {
  switch (outcome.kind) {
    case 'refused': {
      const { throttle, message: reason } = outcome
      if (throttle === 'rate') return { kind: 'not-sent', cause: 'throttled', reason }
      // This very call may have used the nonce, if it was delivered twice.
      if (throttle === 'nonce') return { kind: 'unknown', reason }
      return refusedAnswer(outcome, isIdTaken(outcome))
    }
    case 'not-sent':
      return { kind: 'not-sent', cause: outcome.cause, reason: outcome.reason }
    case 'unknown':
      return { kind: 'unknown', reason: outcome.reason }
  }
}

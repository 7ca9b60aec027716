import { isDenied, type AnyOutcome, type ReadOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { unreadText, type Unread } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import type { ReadResult } from '#src/venue/port.ts'

/** A call that brought no answer, as the port has it. */
export function failedRead(outcome: AnyOutcome): Extract<ReadResult<never>, { reason: string }> {
  return { kind: isDenied(outcome) ? 'denied' : 'failed', reason: reasonOf(outcome) }
}

/** The value of an answer as the port has it, or why there is none. `what` names the list in the texts of unread elements. */
export function readOf<Answer, Value>(
  outcome: ReadOutcome<Answer>,
  what: string,
  valueOf: (answer: Answer) => Value,
): ReadResult<Value> {
  if (outcome.kind !== 'answer') return failedRead(outcome)
  return readValue(valueOf(outcome.value), what, outcome.unread)
}

/** `what` names the list in the texts of elements that could not be read. */
export function readValue<Value>(value: Value, what: string, unread?: readonly Unread[]): ReadResult<Value> {
  return {
    kind: 'read',
    value,
    ...(unread?.length && { unread: unread.map((each) => unreadText(what, each)) }),
  }
}

export function reasonOf(outcome: AnyOutcome): string {
  if ('message' in outcome) return outcome.message
  return 'reason' in outcome ? outcome.reason : outcome.kind
}

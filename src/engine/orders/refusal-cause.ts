import type { OrderAnswer } from '#src/engine/events.ts'

export type RefusedOrder = Extract<OrderAnswer, { kind: 'refused' }>

/**
 * Why a venue has refused an order: it must rest and would have taken, it breaks a rule of the market and would do so the next
 * time, or something of the moment stands in the way: money, the price band, room.
 */
export type RefusalCause = 'would-take' | 'rule' | 'moment'

/** Codes that say it by themselves. All others, and none, are of validation as a whole: 30 and 32 may mean anything. */
const causes: ReadonlyMap<number, RefusalCause> = new Map([
  ...[13, 14].map((code) => [code, 'would-take'] as const),
  ...[11, 33, 37, 40, 41, 43].map((code) => [code, 'rule'] as const),
  ...[10, 12, 15, 16, 17, 111, 112, 250].map((code) => [code, 'moment'] as const),
])

/** The only place that reads the words of a venue: where neither its code nor the name of a field says what it means. */
const words: readonly [RefusalCause, RegExp][] = [
  ['would-take', /maker|post.?only|would (?:take|cross|match)/i],
  [
    'rule',
    new RegExp(
      [
        String.raw`\bmin(?:imum|imal)?\b|\bsteps?\b|multiple of|precision|too (?:large|small)\b`,
        String.raw`total\b.*\b(?:less|more|greater) than|\b(?:field|flag)\b|hedge mode`,
      ].join('|'),
      'i',
    ),
  ],
]

export function causeOf({
  code,
  fields = [],
  message,
}: Pick<RefusedOrder, 'code' | 'fields' | 'message'>): RefusalCause {
  const told = causes.get(code ?? -1)
  if (told) return told
  if (fields.includes('postOnly')) return 'would-take'
  return words.find(([, pattern]) => pattern.test(message))?.[0] ?? 'moment'
}

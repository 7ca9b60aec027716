import { isDeepStrictEqual } from 'node:util'
import { randomInput } from './random-strategy.ts'
import { everywhere, played } from './step-everywhere.ts'

/**
 * Compares a jump and a walk of the same random strategy: undefined if their orders, times, events and results are equal,
 * otherwise the first difference, with the seed.
 */
export async function differenceOf(seed: number): Promise<{ seed: number; what: string } | undefined> {
  const [jump, walk] = [await played(randomInput(seed)), await played(randomInput(seed), everywhere)]
  for (const part of ['sent', 'notes'] as const) {
    const [jumped, walked] = [jump[part], walk[part]]
    const count = Math.max(jumped.length, walked.length)
    const index = Array.from({ length: count }).findIndex(
      (_, at) => !isDeepStrictEqual(jumped[at], walked[at]),
    )
    if (index === -1) continue
    const [one, other] = [jumped[index], walked[index]].map((each) => JSON.stringify(each) ?? 'nothing')
    return { seed, what: `${part} ${index}: the jump ${one}, the walk ${other}` }
  }
  const jumped = new Map(Object.entries({ ...jump.result, worth: jump.worth }))
  for (const [key, walked] of Object.entries({ ...walk.result, worth: walk.worth })) {
    const value = jumped.get(key)
    if (isDeepStrictEqual(value, walked)) continue
    return { seed, what: `${key}: the jump ${JSON.stringify(value)}, the walk ${JSON.stringify(walked)}` }
  }
  return undefined
}

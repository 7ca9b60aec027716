import { createHash } from 'node:crypto'
import type { State } from '#src/exchange/state.ts'

/**
 * A state as one text: equal texts mean equal states. Maps and sets keep their order, because what the exchange
 * does follows it; an order's account is its name, because accounts and orders point at each other.
 */
export function canonical(state: State): string {
  return JSON.stringify(state, (key, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    if (value instanceof Map) return { map: [...value] }
    if (value instanceof Set) return { set: [...value] }
    if (value === Infinity) return 'never'
    if (key === 'account' && typeof value === 'object' && value !== null && 'name' in value) return value.name
    return value
  })
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

import { createHash } from 'node:crypto'
import type { ExchangeState } from '#src/exchange/state.ts'

/**
 * A state as one text: equal texts mean equal states. Maps and sets keep their order, because the exchange depends on
 * it.
 */
export function canonical(state: ExchangeState): string {
  return JSON.stringify(state, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    if (value instanceof Map) return { map: [...value] }
    if (value instanceof Set) return { set: [...value] }
    if (ArrayBuffer.isView(value)) {
      const { buffer, byteOffset, byteLength } = value
      return { bytes: hashOf(Buffer.from(buffer, byteOffset, byteLength).toString('latin1')) }
    }
    if (value === Infinity) return 'never'
    return value
  })
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

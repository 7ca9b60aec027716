import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { StrategyState } from './state.ts'

const fileByState = new WeakMap<StrategyState, { text: string; strategy: Strategy | null }>()

/** The file of any strategy in the state, cached; null if this version cannot read it. */
export function fileOf(own: StrategyState): Strategy | null {
  const { text } = own
  let known = fileByState.get(own)
  if (known?.text !== text) {
    const found = readStrategyText(text)
    fileByState.set(own, (known = { text, strategy: Array.isArray(found) ? null : found.strategy }))
  }
  return known.strategy
}

import { levelOf } from '#src/strategy/schema/exit-labels.ts'
import type { ExitKind } from './exit-kind.ts'

/** The other side of one fill. It rests at its price, so no quote makes it due. */
export const mirror: ExitKind = {
  text: 'mirror',
  lasts: false,
  marks: () => ({ price: undefined }),
  isDue: () => false,
  reason: (_leaving, _marks, { key }) => mirrorReason(levelOf(key)),
}

export function mirrorReason(level: string): string {
  return `it is the other side of ${level}, which has filled`
}

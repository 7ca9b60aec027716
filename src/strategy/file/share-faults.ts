import type { Decimal } from '#src/core/money/decimal.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import { laddersClosed } from './rule-goals.ts'
import type { KeyPath, StrategyFault } from './strategy-fault.ts'

type Close = { of: string; share?: Decimal | undefined }

/** What is wrong with a share to close. A mirror sells the whole amount of its entry, so nothing is left to close in part. */
export function shareFaults(
  { of, share }: Close,
  ladders: Strategy['ladder'],
  path: KeyPath,
): StrategyFault[] {
  if (share === undefined) return []
  const faults: StrategyFault[] = []
  const mirrored = laddersClosed(of, ladders).find((name) => ladders[name]?.exit?.mirror !== undefined)
  if (mirrored !== undefined) {
    const message = `"${mirrored}" has mirrors, which sell all that was bought: a share cannot be closed`
    const from = [['ladder', mirrored, 'exit']]
    faults.push({ path, from, message, hint: 'omit share, or use tp instead of mirror' })
  }
  if (share.gte(1)) {
    const hint = 'omit share to close the whole position'
    faults.push({ path, message: 'must be less than 100%', hint })
  }
  return faults
}

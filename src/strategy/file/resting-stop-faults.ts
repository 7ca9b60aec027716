import { stopRests } from '#src/strategy/schema/exit-schema.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { StrategyFault } from './strategy-fault.ts'

type Parts = Pick<Strategy, 'ladder' | 'risk'>

/** What cannot stand beside a stop at the venue. */
export function restingStopFaults({ ladder, risk }: Parts): StrategyFault[] {
  return Object.entries(ladder).flatMap(([name, file]): StrategyFault[] => {
    if (!stopRests(file)) return []
    const path = ['ladder', name, 'exit', 'stop', 'mode']
    const faults: StrategyFault[] = []
    // The venue cancels all orders of the market when the bot is silent.
    if (risk.deadman) {
      const message =
        'a stop at the venue works without the bot, and the kill switch (deadman) cancels it then'
      const hint = 'omit risk.deadman, or write on_touch_ioc'
      faults.push({ path, from: [path, ['risk', 'deadman']], message, hint })
    }
    // The exits of the ladder only reduce the position of the venue, which is the sum of both sides.
    const other = Object.entries(ladder).find(
      ([, { market, side }]) => market === file.market && (side === 'both' || side !== file.side),
    )
    if (other) {
      const message =
        `"${other[0]}" trades the other side of ${file.market}: the venue has one position for both sides, and ` +
        'exits beside a stop at the venue only reduce that'
      const from = [path, ['ladder', other[0], 'side'], ['ladder', other[0], 'market']]
      faults.push({ path, from, message, hint: 'write on_touch_ioc' })
    }
    return faults
  })
}

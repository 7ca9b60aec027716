import { stopRests } from '#src/strategy/schema/exit-schema.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { StrategyFault } from './strategy-fault.ts'

/** The kill switch of a venue cancels all orders of a market when the bot is silent: the stops that work without it, too. */
export function killSwitchFaults({ ladder, risk }: Pick<Strategy, 'ladder' | 'risk'>): StrategyFault[] {
  if (!risk.deadman) return []
  return Object.entries(ladder).flatMap(([name, file]): StrategyFault[] => {
    if (!stopRests(file)) return []
    const path = ['ladder', name, 'exit', 'stop', 'mode']
    const message = 'a stop at the venue works without the bot, and the kill switch (deadman) cancels it then'
    const hint = 'omit risk.deadman, or write on_touch_ioc'
    return [{ path, from: [path, ['risk', 'deadman']], message, hint }]
  })
}

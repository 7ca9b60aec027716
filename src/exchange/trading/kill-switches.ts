import type { Floor } from './floor.ts'
import type { Market } from './market.ts'
import type { KillSwitch } from './records.ts'
import type { Trader } from './trader.ts'
import { withdrawAll } from './withdrawing.ts'
import type { State } from '../state.ts'

/** Timers that withdraw a market's orders when nobody has set them again. What they do depends on the time alone. */

/** One for each market: a new one replaces the old one. */
export function armSwitch(state: State, trader: Trader, market: Market, armed: KillSwitch): void {
  trader.killSwitches.set(market.number, armed)
  state.switchAt = Math.min(state.switchAt, armed.dueAt)
}

/** Lets go off what is due, and finds out what is due next. */
export function goOff(floor: Floor, at: number): void {
  const { state } = floor
  state.switchAt = Infinity
  for (const trader of floor.accounts) {
    for (const [market, { kinds, dueAt }] of trader.killSwitches) {
      if (dueAt > at) {
        state.switchAt = Math.min(state.switchAt, dueAt)
        continue
      }
      trader.killSwitches.delete(market)
      withdrawAll(floor, trader, { market, kinds }, at)
    }
  }
}

import { depthOf } from './depth.ts'
import { futuresOf } from './futures.ts'
import type { BacktestMarket } from './loop/loop-parts.ts'
import type { BacktestSimulation } from './simulation.ts'
import { tradesOf } from './trades.ts'

export type PolledInputs = ReturnType<typeof polledInputs>

/** What polls of the venue find, besides prices. */
export function polledInputs(stage: BacktestSimulation, places: readonly BacktestMarket[]) {
  return {
    futures: futuresOf(stage, places),
    depth: depthOf(stage.scene, places),
    trades: tradesOf(stage, places),
  }
}

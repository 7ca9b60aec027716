import type { World } from '#src/exchange/world-file.ts'
import type { StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import type { FaultKind, FaultList, Fired, Operation } from './faults.ts'
import type { WorldName } from './worlds.ts'

export type SimulationInput = {
  seed: number
  world: WorldName
  file: StrategyFile
  base: World
  /** These faults happen, and no others. */
  only?: FaultList
  /** How long faults may happen; three minutes unless given. */
  faultyMs?: number
  /** The operator closes all positions when two thirds of this time are over. */
  flattens?: boolean
}

export type SimulationResult = {
  seed: number
  world: WorldName
  strategy: string
  requests: number
  /** The operations of the processes while faults could happen. */
  operations: readonly Operation[]
  /** Orders that the exchange accepted. */
  orders: number
  lives: number
  fired: readonly Fired[]
  /** By step, the faults that could happen there. */
  steps: ReadonlyMap<string, readonly FaultKind[]>
  violations: readonly string[]
  traceHash: string
  /** The account held a position when the operator closed all. */
  held: boolean
  /** The strategy does not fit this world and was not run. */
  unfit: boolean
}

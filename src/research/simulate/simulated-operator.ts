import type { BotProcess } from './bot-process.ts'
import type { FaultPlan } from './faults.ts'
import type { Oracle } from './oracle.ts'
import type { SimulatedTime } from './simulated-time.ts'

const reason = 'simulated'
const repeatMs = 1000

type Parts = { time: SimulatedTime; plan: FaultPlan; oracle: Oracle; life: () => BotProcess | undefined }

/** A command without a process to take it is repeated every second, as a person does. */
export class SimulatedOperator {
  readonly #about: Parts
  /** Nothing is stopped or resumed after the command to close all positions. */
  #isFlattening = false

  constructor(about: Parts) {
    this.#about = about
  }

  stopFor(ms: number): void {
    if (this.#isFlattening) return
    this.#about.life()?.operate({ kind: 'operator', act: 'stop', reason })
    this.#about.time.after(ms, () => this.#resume())
  }

  haltFor(ms: number): void {
    if (this.#isFlattening) return
    this.halt()
    this.#about.time.after(ms, () => this.#resume())
  }

  halt(): void {
    const { oracle, life } = this.#about
    const isTaken = life()?.operate({ kind: 'operator', act: 'halt', strategy: null, reason, freeze: true })
    if (isTaken === true) oracle.halted = 'all'
  }

  /** `rungs flatten`: closes all positions, while faults still happen. */
  flatten(): void {
    const { oracle, life, time } = this.#about
    this.#isFlattening = true
    // A process may take the command and end before it confirms it.
    if (oracle.halted === 'all') oracle.halted = 'entries'
    const isTaken = life()?.operate({ kind: 'operator', act: 'halt', strategy: null, reason, flatten: true })
    if (isTaken === true) oracle.halted = 'entries'
    else time.after(repeatMs, () => this.flatten())
  }

  #resume(): void {
    const { plan, oracle, life, time } = this.#about
    if (!plan.isActive || this.#isFlattening) return
    oracle.halted = 'nothing'
    const isTaken = life()?.operate({ kind: 'operator', act: 'resume', strategy: null, reason })
    if (isTaken !== true) time.after(repeatMs, () => this.#resume())
  }
}

import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'
import type { BotProcess } from './bot-process.ts'
import type { FaultPlan } from './faults.ts'
import type { Oracle } from './oracle.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { SimulatedTime } from './simulated-time.ts'

const reason = 'simulated'
const repeatMs = 1000
const signalEveryMs = 7000
/** Values of a signal that is a number. */
const numbers = ['-1', '0', '1']

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

  /** Sends values of the signals of the strategy, as a chart does, until the faults end. */
  sendSignals({ signals }: Pick<Strategy, 'signals'>, dice: SeededRandom, round = 1): void {
    const { life, plan, time } = this.#about
    const each = Object.entries(signals)
    if (each.length === 0 || !plan.isActive) return
    time.after(signalEveryMs, () => {
      for (const [name, { states = numbers }] of each)
        life()?.signal({ name, value: dice.pick(states, `signal ${name}`, round) })
      this.sendSignals({ signals }, dice, round + 1)
    })
  }

  #resume(): void {
    const { plan, oracle, life, time } = this.#about
    if (!plan.isActive || this.#isFlattening) return
    oracle.halted = 'nothing'
    const isTaken = life()?.operate({ kind: 'operator', act: 'resume', strategy: null, reason })
    if (isTaken !== true) time.after(repeatMs, () => this.#resume())
  }
}

import { FaultPlan, type CallFault } from '#src/research/simulate/faults.ts'
import type { SeededRandom } from '#src/research/simulate/seeded-random.ts'

/** How late requests of a fleet arrive: before a take-over, during it and after it. */
export const lateMs = [200, 15_000] as const
const often = ['delivered late', 'reordered', 'delivered twice', 'answer lost', 'request lost'] as const

/** What the line of one machine to the exchange does to requests. Streams are whole until the line is cut. */
export class VenueFaults extends FaultPlan {
  /** The machine has just been cut off: requests are under way, and arrive late or never. */
  isCut = false
  readonly #dice: SeededRandom
  readonly #share: number

  constructor(dice: SeededRandom, share: number) {
    super(dice, new Map())
    this.#dice = dice
    this.#share = share
  }

  override call(index: number): CallFault | undefined {
    if (!this.isActive) return undefined
    const unit = this.#dice.unit('fault of a call', index)
    if (this.isCut) return unit < 0.7 ? 'delivered late' : 'request lost'
    return unit < this.#share ? this.#dice.pick(often, 'fault of a call', index, 1) : undefined
  }
}

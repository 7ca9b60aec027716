import type { Decision, RungDecision } from '#src/engine/decisions.ts'
import type { Step } from '#src/engine/turn.ts'

/** Why things are as they are: the last decision of each ladder. */
export class Reasons {
  readonly #decisions = new Map<string, Decision>()

  take({ decisions }: Pick<Step, 'decisions'>): void {
    for (const decision of decisions) this.#decisions.set(`${decision.strategy}.${decision.ladder}`, decision)
  }

  /** About an order, by its id. */
  of(order: string): { decision: Decision; rung: RungDecision | undefined } | undefined {
    const [strategy = '', ladder = '', level = ''] = order.split('.')
    const decision = this.#decisions.get(`${strategy}.${ladder}`)
    return decision && { decision, rung: decision.rungs.find((rung) => rung.level === level) }
  }
}

import { cancelByOperator } from '#src/engine/orders/cancel-by-operator.ts'
import { resolveManually } from '#src/engine/orders/unknown-orders.ts'
import type { Operator } from '#src/engine/events.ts'
import { endHalt, endStop, haltByOperator, stopAll } from './halts.ts'
import { operatorPause } from './pauses.ts'
import { takeInvested } from '#src/engine/account/idle-money.ts'
import type { LadderState } from '#src/engine/state/state.ts'
import type { StepContext } from '#src/engine/step-context.ts'
import { forgiveLoss } from '#src/engine/holdings/profit-and-loss.ts'
import { writeOff } from '#src/engine/account/write-off.ts'

/** The operator has seen the refusals of the venue. */
function tryAgain(ladder: LadderState): void {
  ladder.frozen = null
  delete ladder.omitted
  ladder.exitWaits = {}
  for (const rung of ladder.rungs) {
    rung.held = null
    delete rung.crossed
    rung.wait = { count: 0, until: 0 }
  }
}

export function applyOperatorCommand(context: StepContext, event: Operator): void {
  const { state, notes } = context
  const { at } = state
  const { reason } = event
  switch (event.act) {
    case 'stop':
      stopAll(context, event)
      return
    case 'halt':
    case 'pause':
    case 'resume':
      for (const [name, own] of Object.entries(state.strategies)) {
        if (event.strategy !== null && event.strategy !== name) continue
        if (event.act === 'halt') {
          haltByOperator(context, name, event)
          continue
        }
        if (event.act === 'pause') {
          own.pauses[operatorPause] = reason
          notes.push({ type: 'paused', at, strategy: name, reason })
          continue
        }
        endHalt(own)
        forgiveLoss(own)
        own.pauses = {}
        for (const ladder of Object.values(own.ladders)) tryAgain(ladder)
        notes.push({ type: 'resumed', at, strategy: name, reason })
      }
      if (event.strategy !== null) return
      if (event.act === 'resume') endStop(state)
      // Positions are closed although an earlier stop froze the exits of all strategies.
      else if (event.act === 'halt' && event.flatten === true) delete state.frozen
      return
    case 'cancel':
      cancelByOperator(context, event)
      return
    case 'write-off':
      writeOff(context, event)
      return
    case 'resolve': {
      // An investment with unknown outcome blocks the next one; only a check of the account can resolve it.
      const isInvestment = Object.values(state.strategies).some((own) => own.investing?.id === event.order)
      const outcome = event.as === 'placed' ? 'accepted' : 'refused'
      if (isInvestment)
        takeInvested(context, { id: event.order, outcome, message: `by an operator: ${reason}` })
      else resolveManually(context, event.order, event.as, reason)
    }
  }
}

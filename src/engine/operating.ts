import { resolveByHand } from './doubt.ts'
import type { Operator } from './events.ts'
import { endHalt, endStop, haltStrategy, stopAll } from './halting.ts'
import { takeInvested } from './investing.ts'
import type { LadderState } from './state.ts'
import type { Turn } from './turn.ts'
import { forgiveLoss } from './worth.ts'
import { writeOff } from './writing-off.ts'

/** What the venue refused, somebody has looked at. */
function tryAgain(ladder: LadderState): void {
  ladder.frozen = null
  ladder.exitWaits = {}
  for (const rung of ladder.rungs) {
    rung.held = null
    delete rung.crossed
    rung.wait = { count: 0, until: 0 }
  }
}

export function operate(turn: Turn, event: Operator): void {
  const { state, notes } = turn
  const { at } = state
  const { reason } = event
  switch (event.act) {
    case 'stop':
      stopAll(turn, event)
      return
    case 'halt':
    case 'resume':
      for (const [name, own] of Object.entries(state.strategies)) {
        if (event.strategy !== null && event.strategy !== name) continue
        if (event.act === 'halt') {
          haltStrategy(turn, name, {
            cause: 'operator',
            reason,
            after: event.freeze === true ? 'freeze' : 'exits',
          })
          continue
        }
        endHalt(own)
        forgiveLoss(own)
        own.pauses = {}
        for (const ladder of Object.values(own.ladders)) tryAgain(ladder)
        notes.push({ type: 'resumed', at, strategy: name, reason })
      }
      if (event.act === 'resume' && event.strategy === null) endStop(state)
      return
    case 'write-off':
      writeOff(turn, event)
      return
    case 'resolve': {
      // An investment in doubt holds up the next one; nothing but a look at the account can settle it.
      const isInvestment = Object.values(state.strategies).some((own) => own.investing?.id === event.order)
      const outcome = event.as === 'placed' ? 'accepted' : 'refused'
      if (isInvestment) takeInvested(turn, { id: event.order, outcome, message: `by an operator: ${reason}` })
      else resolveByHand(turn, event.order, event.as, reason)
    }
  }
}

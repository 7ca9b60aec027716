import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import type { LadderExit } from '#src/engine/exits/exit-orders.ts'
import { timeText } from '#src/engine/rules/pauses.ts'
import type { CloseOrder } from '#src/engine/state/exit-state.ts'
import { reached } from '#src/engine/state/validity.ts'
import type { ExitKind } from './exit-kind.ts'

/** The action of a rule: it closes the position, whatever exits the file of the ladder has. */
export const close: ExitKind = {
  text: 'close action',
  lasts: true,
  marks: () => ({ price: null }),
  isDue: ({ own }) => own.exits.close !== undefined && own.exits.close.share === undefined,
  reason: (leaving) => {
    const { rule = '', share, postUntil } = leaving.own.exits.close ?? {}
    const how = isPosting(leaving) ? postText(postUntil) : ''
    const part = share ? `${share.left} of ${share.of} of ` : ''
    return `the rule ${rule} closes ${part}the position${how}`
  },
}

/** Whether a rule closes the position by orders that rest, and no exit that acts at once has taken its place. */
export function isPosting({ state, own }: Pick<LadderExit, 'state' | 'own'>): boolean {
  const { close, leave } = own.exits
  if (close?.postUntil === undefined || (leave !== null && leave !== wholeLabels.close)) return false
  return close.postUntil === null || !reached(state, close.postUntil)
}

function postText(until: CloseOrder['postUntil']): string {
  return ` by orders that rest${until ? `, until ${timeText(until)}` : ''}`
}

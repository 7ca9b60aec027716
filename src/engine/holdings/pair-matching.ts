import { closes } from '#src/strategy/schema/exit-schema.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import type { Booking } from './booking.ts'
import { exitFormOf } from '#src/engine/exits/exit-forms.ts'
import { matchFill, newPairs, type ClosedBy, type Match, type Matching, type Pairs } from './pairs.ts'
import type { Holding, LadderState, Order } from '#src/engine/state/state.ts'

/** What closes the entries of a ladder, by its file. */
export function closedByOf(file: Pick<LadderFile, 'exit'>): ClosedBy {
  if (file.exit?.mirror !== undefined) return 'mirrors'
  return closes(file) ? 'exits' : 'entries'
}

/** How a fill of this order is matched. */
export function matchingOf(
  { level, generation, role }: Pick<Order, 'level' | 'generation' | 'role'>,
  fee: string,
  ladder: Pick<LadderState, 'exits'> | undefined,
  closedBy: ClosedBy,
): Matching {
  const about = { level, order: generation, fee }
  if (role === 'entry') return { ...about, by: { entry: closedBy } }
  const exit = exitFormOf(level)
  return {
    ...about,
    by: exit?.levels ? { mirror: exit.levels(ladder?.exits, exit.key) } : { exit: closedBy },
  }
}

/** A position older than the pairs: one lot, of no ladder. */
export function firstPairs({ position, cost }: Holding): Pairs {
  const pairs = newPairs()
  if (position === '0') return pairs
  const lot = { ladder: '', level: '', amount: position, money: cost, fee: '0', orders: 1, last: 0 }
  return { ...pairs, lots: [lot] }
}

export function matchBooking(
  pairs: Pairs,
  booking: Booking | undefined,
  onMatch?: (match: Match) => void,
): void {
  if (!booking?.matching) return
  const { ladder, amount, money, matching } = booking
  matchFill(pairs, { ladder, amount, money, ...matching }, onMatch)
}

const known = new WeakMap<Holding, { of: Pick<Holding, 'cost' | 'realized' | 'fees'>; pairs: Pairs }>()

/** The pairs of all fills until now. The last bookings may still change places, so they are matched when the pairs are read. */
export function pairsOf(holding: Holding): Pairs {
  const { cost, realized, fees, tail = [], pairs: before = firstPairs(holding) } = holding
  const last = known.get(holding)
  if (last?.of.cost === cost && last.of.realized === realized && last.of.fees === fees) return last.pairs
  const pairs = structuredClone(before)
  for (const booking of tail) matchBooking(pairs, booking)
  known.set(holding, { of: { cost, realized, fees }, pairs })
  return pairs
}

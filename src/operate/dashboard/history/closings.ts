import { formatAtoms } from '#src/core/money/atoms.ts'
import type { Booking } from '#src/engine/holdings/booking.ts'
import { firstPairs, matchBooking } from '#src/engine/holdings/pair-matching.ts'
import type { Pairs } from '#src/engine/holdings/pairs.ts'
import type { Holding } from '#src/engine/state/state.ts'

/** What one fill closed of one side. Money has the sign of its amount, positive for a purchase. */
export type ClosedPart = {
  side: 'long' | 'short'
  /** The rung that opened it; empty for a position from before pairs were counted. */
  level: string
  amount: string
  opening: string
  closing: string
  fees: string
  openedAt: number | null
  at: number
}

/** What an order closed, by fill and lot. */
export type Parts = Record<string, ClosedPart>

type Closings = {
  /** The parts by their keys, by the id of the closing order within its strategy. */
  closings: Map<string, Parts>
  /** When each lot was opened, by `lotKey`: of the lots before the last bookings, and of those that they opened. */
  opened: Map<string, number>
  /** The beginnings of the keys of all parts that these bookings can have. */
  bookings: Set<string>
}

/**
 * Matches the last bookings of a holding as the engine does, and returns the lots that they closed. The engine keeps sums only.
 * `known` has when the lots were opened, from the last call.
 */
export function closingsOf(holding: Holding, known: ReadonlyMap<string, number>): Closings {
  const pairs = structuredClone(holding.pairs ?? firstPairs(holding))
  const opened = new Map(pairs.lots.map(lotKey).flatMap((key) => opening(key, known.get(key))))
  const closings: Closings['closings'] = new Map()
  const bookings: Closings['bookings'] = new Set()
  for (const booking of holding.tail ?? []) {
    const { matching, ladder, deal } = booking
    if (!matching) continue
    const at = Math.min(booking.dealtAt ?? booking.at, booking.at)
    // Amounts that left without an order of ours all have the number 0.
    const order = matching.order || booking.at
    const id = `${ladder}.${matching.level}.${order}`
    const key = keyAmong(bookings, `${id} ${booking.at} ${deal ?? ''}`)
    const before = ownLot(pairs, booking)
    const openedAt = before ? opened.get(lotKey(before)) : at
    matchBooking(pairs, booking, ({ lot, amount, opening: entry, closing }) => {
      const parts = closings.get(id) ?? {}
      // An exit of a ladder with both sides first closes its lots by each other, so that it can close a lot more than once.
      const count = Object.keys(parts).length
      const part = `${key} ${lotKey(lot)}`
      parts[part in parts ? `${part}#${count}` : part] = {
        side: lot.amount.startsWith('-') ? 'short' : 'long',
        level: lot.level,
        amount: formatAtoms(amount),
        opening: formatAtoms(entry.money),
        closing: formatAtoms(closing.money),
        fees: formatAtoms(entry.fee + closing.fee),
        openedAt: opened.get(lotKey(lot)) ?? null,
        at,
      }
      closings.set(id, parts)
    })
    const after = ownLot(pairs, booking)
    if (after && !opened.has(lotKey(after)))
      for (const [lot, time] of opening(lotKey(after), openedAt)) opened.set(lot, time)
  }
  return { closings, opened, bookings }
}

function opening(key: string, at: number | undefined): [string, number][] {
  return at === undefined ? [] : [[key, at]]
}

/** A lot of a rung that another order extends has another number, and keeps its time. */
function lotKey({ ladder, level, last }: Pairs['lots'][number]): string {
  return `${ladder}.${level}.${last}`
}

/** The lot that this fill would extend. */
function ownLot({ lots }: Pairs, { ladder, matching, amount }: Booking): Pairs['lots'][number] | undefined {
  const isSale = amount.startsWith('-')
  return lots.find(
    (lot) => lot.ladder === ladder && lot.level === matching?.level && lot.amount.startsWith('-') === isSale,
  )
}

/** An order may fill twice in a millisecond. */
function keyAmong(keys: Set<string>, key: string): string {
  let [free, count] = [key, 1]
  while (keys.has(free)) free = `${key} ${(count += 1)}`
  keys.add(free)
  return free
}

import type { OrderDraft } from '#src/engine/commands.ts'
import type { Compiled } from '#src/engine/rules/compiled-strategy.ts'
import { edgeAt, everyPrice, isRecorded } from '#src/engine/state/validity.ts'

/** An order that could be sent, its distance from the price as a share of it, and that price. */
export type Ready = { draft: OrderDraft; far: number; price: number }

export function byDistance(one: Ready, other: Ready): number {
  return one.far - other.far
}

/** Records the prices at which two neighbours of a list by distance change places. */
export function recordOrder(sorted: readonly Ready[]): void {
  if (!isRecorded()) return
  for (const [index, one] of sorted.entries()) {
    const other = sorted[index + 1]
    if (!other) return
    const { market } = one.draft
    const middle = (Number(one.draft.price) + Number(other.draft.price)) / 2
    if (market === other.draft.market) edgeAt(market, one.price, middle)
    else for (const { draft, price } of [one, other]) everyPrice(draft.market, price)
  }
}

/** The drafts in the order of sending, and the lists by distance that this order comes from. */
export function sendingOrder(
  { strategy }: Compiled,
  ladders: readonly Ready[][],
): { drafts: OrderDraft[]; sorted: readonly Ready[][] } {
  const filled = ladders.filter(({ length }) => length > 0)
  if (filled.length < 2 || strategy.submit.order === 'nearest_first') {
    const all = filled.length === 1 ? filled[0]! : filled.flat().sort(byDistance)
    return { drafts: all.map(({ draft }) => draft), sorted: [all] }
  }
  const longest = Math.max(0, ...filled.map(({ length }) => length))
  const turns = Array.from({ length: longest }, (_, index) =>
    filled.flatMap((ready) => ready[index]?.draft ?? []),
  )
  return { drafts: turns.flat(), sorted: filled }
}

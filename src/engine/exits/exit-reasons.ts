import { Decimal } from '#src/core/money/decimal.ts'
import { exitName, partLabel, wholeLabelsIn, type ExitLabel } from '#src/strategy/schema/exit-labels.ts'
import { laddersClosed } from '#src/strategy/file/rule-goals.ts'
import { wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import { stopsAtVenue } from '#src/engine/state/open-orders.ts'
import type { Order } from '#src/engine/state/state.ts'
import { unrecorded } from '#src/engine/state/validity.ts'
import { aliveOf, type ExitLadder, type ExitPlace, type LadderExit } from './exit-orders.ts'
import { heldOf, ladderExitOf } from './exit-prices.ts'
import { exitKindOf } from './exit-kinds.ts'
import { partsOf } from './kinds/take-profit.ts'
import { mirrorStatuses, orderStatus, type MirrorStatus } from './mirror-status.ts'
import { lossWait, lossWaitText } from './share-to-close.ts'

/** A possible exit: its price, and what it waits for. */
export type ExitStatus = {
  label: ExitLabel
  side: 'buy' | 'sell'
  amount: string
  price: string | null
  /** The current price that counts for it, if it is known: the best bid of a sell, the best ask of a buy. Not of mirrors. */
  touch?: string | undefined
  /** False: at its price it becomes active, and closes nothing. Only of exits that have such a price. */
  isActive?: boolean | undefined
  /** When it acts, whatever the price, in venue time. */
  due?: { at: number; leftMs: number }
  /** Of mirrors, and of exits with an open order. Other exits are sent when they are due. */
  state?: MirrorStatus['state']
  why: string
}

/** All exits of a ladder, sent or not; without a position they have no price. */
export function exitStatuses(place: ExitPlace): ExitStatus[] {
  const { ladder, own } = place
  const mirrors = mirrorStatuses(place)
  const held = heldOf(place)
  if (held === undefined) {
    const side = ladder.positionSide === 'SHORT' ? ('buy' as const) : ('sell' as const)
    const why = 'the position is flat, so there is nothing to exit'
    return [...mirrors, ...labelsOf(ladder).map((label) => ({ label, side, amount: '0', price: null, why }))]
  }
  const leaving = ladderExitOf(held)
  const exitAt = (label: ExitLabel, amount: Decimal, price: Decimal | null): ExitStatus => {
    const order = openOrderOf(leaving, label)
    const kind = exitKindOf(label)
    const dueAt = kind?.dueAt?.(ladder, own)
    return {
      label,
      side: leaving.side,
      amount: amount.toFixed(),
      price: price?.toFixed() ?? order?.price ?? null,
      touch: leaving.touch?.toFixed(),
      isActive: kind?.isActive?.(own),
      ...(dueAt !== undefined && { due: { at: dueAt, leftMs: dueAt - place.state.at } }),
      ...(order && { state: orderStatus(order).state }),
      why: exitReason(leaving, label),
    }
  }
  const whole = wholeLabelsIn(ladder, own.exits.leave).flatMap((label) => {
    const price = exitKindOf(label)?.marks(leaving).price
    return price === undefined ? [] : [exitAt(label, leaving.size, price)]
  })
  const parts = partsOf(leaving).map(({ label, price, amount }) => exitAt(label, amount, price))
  const { share } = own.exits.close ?? {}
  const shares = share ? [exitAt(wholeLabels.close, new Decimal(share.left), null)] : closesThatWait(leaving)
  return [...mirrors, ...whole, ...shares, ...parts]
}

/** A stop at the venue has a number in its label while it replaces another one. */
function openOrderOf({ state, own }: LadderExit, label: ExitLabel): Order | undefined {
  const stop = label === wholeLabels.stop ? [...stopsAtVenue(state, own)].at(-1) : undefined
  return stop ?? aliveOf(state, own, label)
}

/** The rules that close a share of the position, and wait for the next day. */
function closesThatWait(leaving: LadderExit): ExitStatus[] {
  const { scene, ladder, side } = leaving
  const { rules, ladder: ladders } = scene.strategy
  return rules.flatMap(({ id, do: actions }) =>
    actions.flatMap(({ close }) => {
      const isOfIt = close !== undefined && laddersClosed(close.of, ladders).includes(ladder.name)
      const wait = isOfIt ? unrecorded(() => lossWait(leaving, close)) : undefined
      if (wait === undefined) return []
      return [{ label: wholeLabels.close, side, amount: '0', price: null, why: lossWaitText(id, wait) }]
    }),
  )
}

/** The labels of the exits of a ladder without its mirrors, which have the labels of their rungs. */
function labelsOf(ladder: ExitLadder): ExitLabel[] {
  const parts = ladder.file.exit?.tp?.split.map((_, index) => partLabel(index)) ?? []
  return [...parts, ...wholeLabelsIn(ladder)]
}

/** The reason of an exit's price, from the holding and the best prices of now. */
export function exitReason(leaving: LadderExit, label: ExitLabel): string {
  const { own, entry, size, side, touch } = leaving
  const far = (price: Decimal | null | undefined) => (price ? `, ${fromEntry(price, entry)}` : '')
  const held = `position ${size.toFixed()}, average entry ${entry.toSignificantDigits(10).toFixed()}`
  const now = `${side === 'sell' ? 'bid' : 'ask'} ${touch?.toFixed() ?? 'unknown'}`
  const kind = exitKindOf(label)
  const what = kind?.reason(leaving, kind.marks(leaving), { far, key: kind.key }) ?? label
  const { tooSmall } = own.exits
  const stuck = tooSmall && tooSmall.kind === exitName(label) ? `${tooSmall.why}; ` : ''
  return `${stuck}${what}; ${held}; ${now}`
}

function fromEntry(price: Decimal, entry: Decimal): string {
  const percent = price.div(entry).minus(1).times(100)
  return `${percent.abs().toFixed(2)} % ${percent.lt(0) ? 'below' : 'above'} the average entry`
}

import { cutTo, Decimal } from '#src/core/money/decimal.ts'
import { numbered } from '#src/strategy/schema/exit-labels.ts'
import { stopRests, wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import type { Order } from '#src/engine/state/state.ts'
import { openOrdersOfLadder, stopsAtVenue } from '#src/engine/state/open-orders.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import {
  cancelExit,
  exitDraft,
  isEnough,
  type ExitPlace,
  type Exits,
  type LadderExit,
} from './exit-orders.ts'
import { exitReason } from './exit-reasons.ts'
import { isPosting } from './kinds/close.ts'
import { protectionText, stop } from './kinds/stop.ts'

/** The most stop orders of one position, whose parts exceed the market's greatest order. */
const partsMost = 20

/**
 * The stop with `mode: resting`: conditional orders at the venue for the whole position. If its price or amount changes, the new
 * orders are at the venue before the old ones are cancelled, so that the position is never without one; both together close at
 * most the position, since they only reduce it. Another exit that acts at once leaves them there until the position is flat.
 */
export function restStops(leaving: LadderExit, exits: Exits): void {
  const { state, own, ladder, side } = leaving
  const open = stopsAtVenue(state, own)
  const rests = stopRests(ladder.file)
  if ((!rests && open.size === 0) || (own.exits.leave !== null && !isPosting(leaving))) return
  const spare = new Set<Order>(open)
  let missing = false
  for (const { price, amount } of rests ? wantedStops(leaving) : []) {
    const found = [...spare].find(
      (order) =>
        order.side === side && price.eq(order.price) && amount.eq(leftOf(order)) && !order.withdrawing,
    )
    if (found) spare.delete(found)
    missing ||= found?.status !== 'resting'
    if (found) continue
    const label = freeLabel(leaving, exits)
    const because = exitReason(leaving, label)
    exits.drafts.push(exitDraft(leaving, label, { side, price, amount, waits: true, because }))
  }
  reportLost(leaving, exits)
  if (!missing) for (const order of spare) cancelExit(leaving, order, exits)
}

/** Flat: nothing is left to protect. */
export function endStops(place: ExitPlace, exits: Exits): void {
  const { state, own } = place
  for (const order of stopsAtVenue(state, own)) cancelExit(place, order, exits)
  // The venue ends a stop with its position.
  for (const label in own.exitWaits) if (own.exitWaits[label]?.lost !== undefined) delete own.exitWaits[label]
}

/** Reports once that the venue has ended a stop without closing the position. */
function reportLost({ state, scene, ladder, own }: LadderExit, exits: Exits): void {
  for (const wait of Object.values(own.exitWaits)) {
    if (wait.lost === undefined) continue
    const lack = protectionText(state, own)
    const message = `${lack}: it has ended ${wait.lost}; retry in ${Math.ceil((wait.until - state.at) / 1000)} s`
    delete wait.lost
    const { name, symbol: market } = ladder
    exits.notes.push({ type: 'alert', at: state.at, strategy: scene.name, ladder: name, market, message })
  }
}

/** The parts of the position, each at most the greatest order of the market; what is too small for an order is left out. */
function wantedStops(leaving: LadderExit): { price: Decimal; amount: Decimal }[] {
  const { market, size } = leaving
  const { price } = stop.marks(leaving)
  if (!price?.gt(0)) return []
  const most = cutTo(market.amountDigits, market.maxTotal.div(price))
  const wanted: { price: Decimal; amount: Decimal }[] = []
  let left = cutTo(market.amountDigits, size)
  while (wanted.length < partsMost && isEnough(market, Decimal.min(left, most), price)) {
    const amount = Decimal.min(left, most)
    wanted.push({ price, amount })
    left = left.minus(amount)
  }
  return wanted
}

/** The first label of stops that neither an open order nor a draft has. */
function freeLabel({ state, own, ladder }: LadderExit, { drafts }: Exits) {
  const open = openOrdersOfLadder(state, own)
  for (let number = 1; ; number++) {
    const label = numbered(wholeLabels.stop, number)
    if (!open.has(label) && !drafts.some((draft) => draft.ladder === ladder.name && draft.level === label))
      return label
  }
}

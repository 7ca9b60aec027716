import { Decimal } from '#src/core/money/decimal.ts'
import { closes, wholeLabels } from '#src/strategy/schema/exit-schema.ts'
import { beginCooling } from './cooldown.ts'
import { exitName } from '#src/strategy/schema/exit-labels.ts'
import { heldOf, ladderExitOf } from './exit-prices.ts'
import { dueNow, followPrice, marksOf, passingExits, type ExitMarks } from './exit-kinds.ts'
import {
  allAlive,
  aliveOf,
  exitDraft,
  onTick,
  settleEntries,
  cancelExit,
  isWaiting,
  type ExitPlace,
  type Exits,
  type LadderExit,
} from './exit-orders.ts'
import { isPosting } from './kinds/close.ts'
import { isReached } from './kinds/exit-kind.ts'
import { endStops, restStops } from './resting-stop.ts'
import { settleParts } from './kinds/take-profit.ts'
import { postClose } from './post-close.ts'
import { shareToClose } from './share-to-close.ts'
import { send, shownFor, reportTooSmall, unoffered } from './submit-exits.ts'
import { exitReason } from './exit-reasons.ts'
import { onlyReduces } from './only-reduces.ts'
import { openParts } from '#src/engine/state/open-orders.ts'
import { leftOf } from '#src/engine/risk/exposure.ts'
import type { ExitState, ExitWatch } from '#src/engine/state/exit-state.ts'
import { edgeAt, evaluateAgain } from '#src/engine/state/validity.ts'

/** How far below the best price a forced exit may trade. */
const slack = new Decimal('0.005')

/** Take profit, stop, trailing exit and age: the exits of the whole position of a ladder, or of its parts. */
export function planPositionExits(place: ExitPlace, exits: Exits): void {
  const { state, scene, ladder, own } = place
  const held = heldOf(place)
  if (held === undefined) return rest(place, exits)
  const { side } = held
  const isOrdered = state.strategies[scene.name]?.flatten !== undefined || own.exits.close !== undefined
  if (!closes(ladder.file) && !ladder.programs.exitAt && own.exits.leave === null && !isOrdered) {
    // Mirrors are placed elsewhere. Other resting exits are left from an earlier version of the file, or from an action.
    for (const order of openParts(state, own)) if (!order.ioc) cancelExit(place, order, exits)
    endStops(place, exits)
    own.exits.watch = { of: side === 'sell' ? 'bid' : 'ask', above: Number.MAX_VALUE, below: 0 }
    return
  }
  const leaving = ladderExitOf(held)
  const begins = own.exits.leave === null || isPosting(leaving)
  if (begins) followPrice(leaving)
  const marks = marksOf(leaving)
  if (begins) begin(leaving, marks, exits)
  restStops(leaving, exits)
  if (own.exits.leave === null) takeProfit(leaving, marks, exits)
  else leaveAll(leaving, exits)
  own.exits.watch = watchOf(leaving, marks)
}

/** Flat: nothing is watched, and the next position begins without history. */
function rest(place: ExitPlace, exits: Exits): void {
  const { state, own } = place
  const { exits: now } = own
  for (const order of openParts(state, own)) cancelExit(place, order, exits)
  endStops(place, exits)
  beginCooling(state, own)
  if (now.leave !== null) {
    evaluateAgain(state)
    settleEntries(state, own)
    now.mirrors = {}
    now.carried = { amount: '0', levels: [] }
  }
  Object.assign(now, {
    parts: null,
    trailBest: null,
    leave: null,
    tooSmall: null,
    watch: watchOfRest(place),
  })
  delete now.close
  delete now.breakEven
}

/** What is too small for an order can be sold once the price has risen. */
function watchOfRest({ ladder: { market }, own: { held } }: ExitPlace): ExitState['watch'] {
  const size = new Decimal(held.position).abs()
  if (!market || size.isZero() || size.lt(market.minAmount)) return null
  const of = held.position.startsWith('-') ? ('ask' as const) : ('bid' as const)
  return { of, above: onTick(market, 'sell', market.minTotal.div(size)).toNumber(), below: 0 }
}

/** Whether the whole position must be closed; once begun, this lasts until it is flat. */
function begin(leaving: LadderExit, marks: ExitMarks, exits: Exits): void {
  const { state, ladder, own, touch, scene } = leaving
  const now: ExitState = own.exits
  const before = now.leave
  now.leave = dueNow(leaving, marks)
  if (now.leave === null || now.leave === before) return
  exits.notes.push({
    type: 'exit-armed',
    at: state.at,
    strategy: scene.name,
    ladder: ladder.name,
    market: ladder.symbol,
    kind: exitName(now.leave),
    side: leaving.side,
    price: touch?.toFixed(),
    amount: leaving.size.toFixed(),
  })
}

function leaveAll(leaving: LadderExit, exits: Exits): void {
  const { state, own, market, side, touch } = leaving
  const posted = isPosting(leaving) ? aliveOf(state, own, wholeLabels.close) : undefined
  // A stop at the venue protects until nothing is held.
  for (const order of allAlive(state, own))
    if (!order.ioc && !isWaiting(order) && order !== posted) cancelExit(leaving, order, exits)
  own.exits.tooSmall = null
  if (!touch || own.exits.leave === null) return
  const worst = worstPrice(leaving, touch)
  // Below this price the order would be smaller than the minimum of the market. The best price is above it, or the holding would
  // be below the minimum.
  const least = side === 'sell' ? market.minTotal.div(leaving.size) : worst
  const price = onTick(market, side, Decimal.max(worst, least))
  const whole = { label: own.exits.leave, price, amount: leaving.size }
  if (!postClose(leaving, whole, exits)) send(leaving, [whole], exits)
}

/** How far beyond the best price an order that closes at once may trade. */
function worstPrice({ own, sign }: LadderExit, touch: Decimal): Decimal {
  const { close, leave } = own.exits
  const slippage = close !== undefined && leave === wholeLabels.close ? close.slippage : slack
  return touch.times(new Decimal(1).minus(new Decimal(slippage).times(sign)))
}

/** Exits at a price, and the parts of the take profit. */
function takeProfit(leaving: LadderExit, marks: ExitMarks, exits: Exits): void {
  const { state, ladder, own, side, touch } = leaving
  const passing = passingExits(leaving, marks)
  const now = passing.find(({ isDue }) => isDue)
  // The exit may wait after a refusal. Once the price moves away, the exits that it holds back are sent.
  if (now && touch) edgeAt(ladder.symbol, touch.toNumber(), now.price.toNumber())
  const share = shareToClose(leaving)
  if (now) send(leaving, [{ label: now.label, price: now.price, amount: leaving.size }], exits)
  else if (share && !postClose(leaving, share, exits)) send(leaving, [share], exits)
  settleParts(leaving)
  const parts = marks.get('take_profit')?.parts ?? []
  reportTooSmall(leaving, passing, parts, exits)
  // The whole position is due: resting parts would reserve a part of it.
  const rests = ladder.file.exit?.tp?.mode === 'resting' && !now && !share
  const isPosted = share !== undefined && isPosting(leaving)
  // Including orders of an earlier version of the file.
  for (const order of openParts(state, own)) {
    if (isPosted && order.level === wholeLabels.close) continue
    const part = rests ? parts.find(({ label }) => label === order.level) : undefined
    const isRight = part && part.price.eq(order.price) && part.amount.eq(leftOf(order))
    if (!order.ioc && !isRight) cancelExit(leaving, order, exits)
  }
  if (!rests) {
    const due = parts.filter(({ price }) => isReached(leaving, price))
    if (due.length > 0) send(leaving, due, exits)
    return
  }
  const shown = shownFor(leaving, exits)
  let free = Decimal.min(unoffered(leaving, exits), shown ?? Infinity)
  for (const { label, price, amount } of parts) {
    if (aliveOf(state, own, label) || amount.gt(free)) continue
    free = free.minus(amount)
    const because = exitReason(leaving, label)
    const reduceOnly = onlyReduces(leaving)
    exits.drafts.push(exitDraft(leaving, label, { side, price, amount, because, reduceOnly }))
  }
}

/** An exit that is closing the position, or reads a book, is checked with every quote. */
function watchOf(leaving: LadderExit, all: ExitMarks): ExitState['watch'] {
  const { ladder, own, sign } = leaving
  // What rests moves with the ticks, and exits that act at once keep their own prices.
  const isClosing = (own.exits.leave !== null || own.exits.close !== undefined) && !isPosting(leaving)
  return isClosing || ladder.exitReadsBook
    ? { of: sign === 1 ? 'bid' : 'ask', above: 0, below: 0 }
    : watchedPrices(leaving, all)
}

/** As doubles, for `touches`. */
export function watchedPrices({ sign }: LadderExit, all: ExitMarks): ExitWatch {
  let [above, below] = [Number.MAX_VALUE, 0]
  let best: number | undefined
  for (const marks of all.values()) {
    const [high, low] = sign === 1 ? [marks.good, marks.bad] : [marks.bad, marks.good]
    if (high) above = Math.min(above, high.toNumber())
    if (low) below = Math.max(below, low.toNumber())
    best ??= marks.best?.toNumber()
  }
  return { of: sign === 1 ? 'bid' : 'ask', above, below, ...(best !== undefined && { best }) }
}

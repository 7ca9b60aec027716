import { cutTo, Decimal } from '#src/core/money/decimal.ts'
import { closableBy } from './closable.ts'
import { exitName, numbered, partLabel } from '#src/strategy/schema/exit-labels.ts'
import {
  aliveOf,
  allAlive,
  exitDraft,
  isEnough,
  offeredBy,
  onTick,
  withinBand,
  type Exits,
  type LadderExit,
} from './exit-orders.ts'
import type { Part } from './kinds/exit-kind.ts'
import { exitReason } from './exit-reasons.ts'
import { onlyReduces } from './only-reduces.ts'

/** The most orders for one part of an exit that exceeds the market's greatest order; the rest follows later. */
const ordersMost = 20

/**
 * Drafts all parts that are due now, in one bulk, and never more than is `unoffered`. The next bulk waits until no order of this
 * one is open.
 */
export function send(leaving: LadderExit, due: readonly Part[], exits: Exits): void {
  const { state, own } = leaving
  if (allAlive(state, own).some(({ role, ioc }) => role === 'exit' && ioc)) return
  for (const { label, price, amount } of due) {
    let left = amount
    for (let number = 1; number <= ordersMost && left.gt(0); number++) {
      const next = numbered(label, number)
      if (aliveOf(state, own, next)?.activation !== undefined) continue
      const sent = offer(leaving, { label: next, price, amount: left }, exits)
      if (sent === undefined) break
      left = left.minus(sent)
    }
  }
}

/** Returns how much of it is offered; undefined if that is below the minimum of the market. */
export function offer(
  leaving: LadderExit,
  { label, price, amount: wanted }: Part,
  exits: Exits,
  how: 'ioc' | 'postOnly' = 'ioc',
): Decimal | undefined {
  const { state, own, market, side } = leaving
  if (aliveOf(state, own, label)) return undefined
  const free = unoffered(leaving, exits)
  const asked = withinBand(leaving, { side, price })
  const whole = cutTo(market.amountDigits, Decimal.min(wanted, free, market.maxTotal.div(asked)))
  if (!isEnough(market, whole, asked)) return undefined
  const covered = cutTo(market.amountDigits, Decimal.min(whole, shownFor(leaving, exits) ?? whole))
  // If the venue's position covers too little of it, the risk gate reports that.
  const amount = isEnough(market, covered, asked) ? covered : whole
  const because = exitReason(leaving, label)
  const bound = how === 'postOnly' ? { reduceOnly: onlyReduces(leaving) } : {}
  exits.drafts.push(exitDraft(leaving, label, { side, price, amount, [how]: true, because, ...bound }))
  return amount
}

/** The holding less open exits at the venue and exits drafted in this step. */
export function unoffered({ state, own, ladder, size, side }: LadderExit, { drafts }: Exits): Decimal {
  const now = drafts.filter(
    ({ ladder: name, side: to, activation }) =>
      name === ladder.name && to === side && activation === undefined,
  )
  const offered = now.reduce((sum, { amount }) => sum.plus(amount), offeredBy(allAlive(state, own), side))
  return size.minus(offered)
}

/** How much exits may close by the venue's position; undefined where that is no bound. */
export function shownFor(
  { state, scene, ladder, own, side }: LadderExit,
  { drafts }: Exits,
): Decimal | undefined {
  const exit = { strategy: scene.name, market: ladder.symbol, side }
  return closableBy(state, exit, own, drafts)?.most
}

/** Reports once that an exit cannot be sent, since the position is worth too little at its price. */
export function reportTooSmall(
  leaving: LadderExit,
  passing: readonly Offer[],
  parts: readonly Part[],
  exits: Exits,
): void {
  const { state, scene, ladder, own, side } = leaving
  const before = own.exits.tooSmall?.kind
  const found = tooSmall(leaving, passing, parts)
  own.exits.tooSmall = found ?? null
  if (!found || found.kind === before) return
  const { kind, why: reason } = found
  const { name: strategy } = scene
  const { name, symbol: market } = ladder
  exits.notes.push({
    type: 'exit-too-small',
    at: state.at,
    strategy,
    ladder: name,
    market,
    side,
    kind,
    reason,
  })
}

type Offer = Pick<Part, 'label' | 'price'>

function tooSmall(
  leaving: LadderExit,
  passing: readonly Offer[],
  parts: readonly Part[],
): { kind: string; why: string } | undefined {
  const { ladder, market, side, size, entry, sign } = leaving
  const { tp } = ladder.file.exit ?? {}
  const offers = [...passing]
  if (tp && parts.length === 0)
    offers.push({
      label: partLabel(0),
      price: onTick(market, side, entry.times(tp.pct.times(sign).plus(1))),
    })
  for (const { label, price } of offers) {
    const asked = withinBand(leaving, { side, price })
    if (isEnough(market, size, asked)) continue
    const kind = exitName(label)
    const worth = `${size.toFixed()} at ${asked.toFixed()} has a notional of ${size.times(asked).toFixed()}`
    return {
      kind,
      why: `exit ${kind} cannot be sent: ${worth}, less than the minimum of ${market.minTotal.toFixed()} of the market`,
    }
  }
  return undefined
}

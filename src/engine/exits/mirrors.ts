import { Decimal, raiseTo } from '#src/core/money/decimal.ts'
import { firstIndex } from '#src/core/objects/first-index.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { exitDraft, isEnough, onTick, type ExitLadder, type ExitPlace, type Exits } from './exit-orders.ts'
import { levelOf, mirrorKey, mirrorLabel, numbered } from '#src/strategy/schema/exit-labels.ts'
import { mirrorReason } from './kinds/mirror.ts'
import type { MarketRules } from '#src/market/ladder/plan.ts'
import { openOrdersOf, openOrdersOfLadder, unknownOrdersIn } from '#src/engine/state/open-orders.ts'
import { touchPrice } from '#src/engine/state/prices.ts'
import { rungPriceOf } from '#src/engine/ladder/slide.ts'
import type { LadderState, Order, State } from '#src/engine/state/state.ts'
import type { ExitState } from '#src/engine/state/exit-state.ts'

/** The most mirrors of one rung that rest at the same time; further fills wait in the first of them until one ends. */
const mirrorsMost = 9

/**
 * An order of the ladder has filled further or has ended. Fills of an entry are offered some lines away as soon as they reach the
 * minimum of the market, also while the rest of the entry still rests. When they have been sold, the level may be placed again.
 */
export function armExits(
  state: State,
  strategy: string,
  ladder: ExitLadder,
  own: LadderState,
  order: Order,
): BotEvent[] {
  if (order.role === 'exit') {
    if (order.status === 'ended') mirrorEnded(state, ladder, own, order)
    return []
  }
  const { mirror: count, earn } = ladder.file.exit ?? {}
  if (count === undefined && order.status !== 'ended') return []
  const filled = new Decimal(order.filled).minus(order.armed)
  order.armed = order.filled
  const paid = earn === 'base' ? costSince(order) : undefined
  // Fills of an exit of the whole position reduce the mirrors.
  if (count === undefined || filled.isZero() || own.exits.leave !== null || !ladder.market) return []
  const { carried, mirrors } = own.exits
  const side = order.side === 'buy' ? ('sell' as const) : ('buy' as const)
  const total = filled.times(side === 'sell' ? 1 : -1).plus(carried.amount)
  const from = rungPriceOf(order)
  const price = onTick(ladder.market, side, worthIt(ladder, from, side, lineBeyond(own, from, side, count)))
  const levels = [...new Set([...carried.levels, order.level])]
  const isSame = total.gt(0) === (side === 'sell')
  const key = keyOfNext(state, own, order.level)
  const older = mirrors[key]
  const cost = paid?.plus(carried.cost ?? 0)
  const offered =
    cost === undefined ? total.abs() : Decimal.min(total, amountWorth(ladder.market, cost, price))
  const amount = older ? offered.plus(older.amount) : offered
  if (!isSame || !isEnough(ladder.market, amount, price)) {
    own.exits.carried = { amount: total.toFixed(), levels, ...(cost && { cost: cost.toFixed() }) }
    return []
  }
  own.exits.carried = { amount: '0', levels: [] }
  // If one mirror has two targets, the farther one counts for both.
  const farther = older ? Decimal[side === 'sell' ? 'max' : 'min'](price, older.price) : price
  const terms = { side, price: farther.toFixed(), amount: amount.toFixed() }
  unknownOrdersIn(mirrors).add(key)
  mirrors[key] = {
    ...terms,
    order: older?.order ?? null,
    levels: [...new Set([...(older?.levels ?? []), ...levels])],
  }
  return [
    {
      type: 'exit-armed',
      at: state.at,
      strategy,
      ladder: ladder.name,
      market: ladder.symbol,
      kind: 'mirror',
      rung: order.level,
      ...terms,
    },
  ]
}

/** Money and fee of the fills since the last mirror of this order. */
function costSince(order: Order): Decimal {
  const { money, fee, armedCost = '0' } = order
  const whole = new Decimal(money).plus(fee)
  order.armedCost = whole.toFixed()
  return whole.minus(armedCost)
}

/**
 * The amount whose sale at this price earns this money after its fee, rounded up to the lot. The mirror usually rests; the higher
 * fee counts, so that it also earns the money if it takes.
 */
function amountWorth(market: MarketRules, money: Decimal, price: Decimal): Decimal {
  return raiseTo(market.amountDigits, money.div(earnedBy(market, price)))
}

/** The money that the sale of one coin earns at least, after its fee. */
function earnedBy({ makerFee, takerFee }: MarketRules, price: Decimal): Decimal {
  return price.times(new Decimal(1).minus(Decimal.max(0, makerFee, takerFee)))
}

/** Lines that have moved since may be too near to the price of the fill: `min_edge` holds all the same. */
function worthIt({ file, market }: ExitLadder, from: string, side: Side, line: Decimal): Decimal {
  if (file.min_edge === undefined || market === null) return line
  // Where the venue pays for trades, the fee needs no edge.
  const least = file.min_edge.times(Decimal.max(0, market.makerFee)).times(from)
  return side === 'sell' ? Decimal.max(line, least.plus(from)) : Decimal.min(line, least.neg().plus(from))
}

/** Of the mirrors of a rung: the one that waits to be sent, else the lowest free number, else the first of all. */
function keyOfNext(state: State, own: LadderState, level: string): string {
  const labels = openOrdersOfLadder(state, own)
  const keys = Array.from({ length: mirrorsMost }, (_, index) => numbered(level, index + 1))
  const free = keys.filter((key) => !labels.has(mirrorLabel(key)))
  return free.find((key) => own.exits.mirrors[key] !== undefined) ?? free[0] ?? level
}

/** A rest that is too small to be offered joins the next mirror. */
function mirrorEnded(state: State, { file, market }: ExitLadder, own: LadderState, order: Order): void {
  const key = mirrorKey(order.level)
  const mirror = key === undefined ? undefined : own.exits.mirrors[key]
  if (key === undefined || !mirror || !market) return
  mirror.order = null
  const left = new Decimal(mirror.amount)
  if (isEnough(market, left, new Decimal(mirror.price))) return
  const { carried } = own.exits
  delete own.exits.mirrors[key]
  takeWaiting(state, market, own, key)
  if (left.isZero()) releaseLevels(own, mirror.levels, file)
  else {
    const amount = left.times(mirror.side === 'sell' ? 1 : -1).plus(carried.amount)
    own.exits.carried = {
      amount: amount.toFixed(),
      levels: [...new Set([...carried.levels, ...mirror.levels])],
      ...(file.exit?.earn === 'base' && {
        cost: left
          .times(earnedBy(market, new Decimal(mirror.price)))
          .plus(carried.cost ?? 0)
          .toFixed(),
      }),
    }
  }
}

/** A mirror has ended, and its number is free: a new mirror gets all parts that wait in the first mirror of this rung. */
function takeWaiting(state: State, market: MarketRules, own: LadderState, key: string): void {
  const level = levelOf(key)
  const { mirrors } = own.exits
  const first = mirrors[level]
  const open = openOrdersOfLadder(state, own).get(mirrorLabel(level))
  if (first === undefined || open === undefined) return
  const offered = new Decimal(open.amount).minus(open.filled)
  const waiting = new Decimal(first.amount).minus(offered)
  if (!isEnough(market, waiting, new Decimal(first.price))) return
  unknownOrdersIn(mirrors).add(key)
  mirrors[key] = { ...first, amount: waiting.toFixed(), order: null }
  first.amount = offered.toFixed()
}

/** The position of these levels is closed: they may be placed again, unless another part of it is still to be sold. */
export function releaseLevels(
  own: LadderState,
  levels: readonly string[],
  { size }: Pick<LadderFile, 'size'>,
): void {
  const { mirrors, carried } = own.exits
  const isWaiting = (level: string) => {
    if (carried.levels.includes(level)) return true
    for (const key in mirrors) if (mirrors[key]?.levels.includes(level)) return true
    return false
  }
  const released = new Set(own.filled.filter((level) => levels.includes(level) && !isWaiting(level)))
  own.filled = own.filled.filter((level) => !released.has(level))
  if (size.update !== 'rung') return
  for (const rung of own.rungs) if (released.has(rung.level)) rung.resize = 'its size is computed next'
}

/**
 * The line that is this many lines away from a price; lines are the rungs and the anchor. Beyond the outermost line the lines
 * continue at the distance of the last two.
 */
function lineBeyond(own: LadderState, from: string, side: Side, count: number): Decimal {
  const lines = linesOf(own, side)
  const start = lineAt(from, side)
  const first = firstIndex(0, lines.length, (index) => compare(lines[index]!, start, side) > 0)
  const beyond = lines.length - first
  const found = beyond < count ? undefined : lines[first + count - 1]
  if (found) return new Decimal(found.text)
  const [one, other] = lines.slice(-2)
  const last = new Decimal(beyond > 0 ? (lines.at(-1)?.text ?? from) : from)
  const step = one && other ? new Decimal(other.text).minus(one.text) : new Decimal(0)
  return last.plus(step.times(count - beyond))
}

/** `at` grows in the direction of a side. */
type Line = { text: string; at: number }
type Side = 'buy' | 'sell'
/** Cached per computed ladder: lines are sorted once and read with each fill. */
const laid = new WeakMap<
  LadderState['rungs'],
  Record<Side, { anchor: string | null; lines: Line[] } | null>
>()

/** The rungs and the anchor, each once. */
function linesOf({ rungs, anchor }: LadderState, side: Side): Line[] {
  let known = laid.get(rungs)
  if (!known) laid.set(rungs, (known = { buy: null, sell: null }))
  const before = known[side]
  if (before?.anchor === anchor) return before.lines
  const texts = rungs.map(({ price }) => price)
  if (anchor !== null) texts.push(anchor)
  const sorted = texts.map((text) => lineAt(text, side)).sort((a, b) => compare(a, b, side))
  const lines = sorted.filter((line, index) => index === 0 || compare(line, sorted[index - 1]!, side) !== 0)
  known[side] = { anchor, lines }
  return lines
}

function lineAt(text: string, side: Side): Line {
  return { text, at: side === 'sell' ? Number(text) : -Number(text) }
}

/** Doubles keep the order of prices: only equal doubles need the digits. */
function compare(a: Line, b: Line, side: Side): number {
  if (a.at !== b.at) return a.at - b.at
  return a.text === b.text ? 0 : new Decimal(a.text).cmp(b.text) * (side === 'sell' ? 1 : -1)
}

/** By level: mirrors that should rest and have no open order. */
export function missingMirrors(state: State, own: LadderState): [string, ExitState['mirrors'][string]][] {
  const { mirrors } = own.exits
  const [orders, labels] = [openOrdersOf(state), openOrdersOfLadder(state, own)]
  const levels = unknownOrdersIn(mirrors)
  for (const level of levels) {
    const order = mirrors[level]?.order
    // Usually the mirror that was sent last; an earlier one is found by its label.
    if (order === undefined || (order !== null && orders.has(order)) || labels.has(mirrorLabel(level)))
      levels.delete(level)
  }
  const inTurn = levels.size < 2 ? [...levels] : Object.keys(mirrors).filter((level) => levels.has(level))
  // The keys of an object have no useful order: JavaScript puts whole numbers before all others.
  inTurn.sort((one, other) => rungNumber(one) - rungNumber(other))
  return inTurn.map((level) => [level, mirrors[level]!])
}

/** The number of the rung whose fill has caused the mirror. */
function rungNumber(key: string): number {
  return Number(levelOf(key).replace(/\D/g, ''))
}

/** Drafts the missing mirrors. If the market has passed the price of a mirror already, it takes the better price. */
export function mirrorDrafts(place: ExitPlace, exits: Exits): void {
  const { state, scene, ladder, own } = place
  if (own.exits.leave !== null) return
  for (const [level, mirror] of missingMirrors(state, own)) {
    const { side, price, amount } = mirror
    const touch = touchPrice(state, scene.strategy, ladder.symbol, side === 'sell' ? 'bid' : 'ask')
    // Both are on the tick, so doubles keep their order.
    const rests = touch === undefined || (side === 'sell' ? touch < Number(price) : touch > Number(price))
    const { postOnly, rpi } = ladder.file.flags
    const mayTake = !rests || own.exitWaits[mirrorLabel(level)]?.takes === true
    const draft = exitDraft(place, mirrorLabel(level), {
      side,
      price: new Decimal(price),
      amount: new Decimal(amount),
      postOnly: postOnly && !mayTake,
      rpi: rpi && !mayTake,
      because: mirrorReason(levelOf(level)),
    })
    mirror.order = draft.id
    exits.drafts.push(draft)
  }
}

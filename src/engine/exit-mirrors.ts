import { Decimal } from '#src/money/decimal.ts'
import type { BotEvent } from '#src/logs/events.ts'
import {
  aliveOf,
  exitDraft,
  isEnough,
  onTick,
  type ExitLadder,
  type Exits,
  type ExitScene,
} from './exit-orders.ts'
import { touchPrice } from './prices.ts'
import type { LadderState, Order, State } from './state.ts'

/**
 * An order of the ladder has ended, for certain, and all of its fills are booked. What an entry has bought is to be sold
 * some lines away; when that has been sold, its level may be placed again. To be called when it ends, and again if the
 * venue says later that more of it had filled.
 */
export function orderEnded(
  state: State,
  strategy: string,
  ladder: ExitLadder,
  own: LadderState,
  order: Order,
): BotEvent[] {
  if (order.role === 'exit') {
    mirrorEnded(ladder, own, order)
    return []
  }
  const count = ladder.file.exit?.mirror
  const filled = new Decimal(order.filled).minus(order.armed)
  order.armed = order.filled
  // What leaves as a whole leaves with the rest.
  if (count === undefined || filled.isZero() || own.exits.leave !== null || !ladder.market) return []
  const { carried, mirrors } = own.exits
  const side = order.side === 'buy' ? ('sell' as const) : ('buy' as const)
  const total = filled.times(side === 'sell' ? 1 : -1).plus(carried.amount)
  const price = onTick(ladder.market, side, lineBeyond(own, new Decimal(order.price), side, count))
  const levels = [...carried.levels, order.level]
  const isSame = total.gt(0) === (side === 'sell')
  if (!isSame || !isEnough(ladder.market, total.abs(), price)) {
    own.exits.carried = { amount: total.toFixed(), levels }
    return []
  }
  own.exits.carried = { amount: '0', levels: [] }
  const older = mirrors[order.level]
  const amount = total.abs().plus(older?.amount ?? 0)
  // Of two targets for one level the farther one holds for both.
  const farther =
    side === 'sell' ? Decimal.max(price, older?.price ?? price) : Decimal.min(price, older?.price ?? price)
  mirrors[order.level] = {
    side,
    price: farther.toFixed(),
    amount: amount.toFixed(),
    order: null,
    levels: [...(older?.levels ?? []), ...levels],
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
      side,
      price: farther.toFixed(),
      amount: amount.toFixed(),
    },
  ]
}

/** What is left of one that is too small to be offered again waits for the next. */
function mirrorEnded({ market }: ExitLadder, own: LadderState, order: Order): void {
  const level = order.level.slice(1)
  const mirror = order.level.startsWith('m') ? own.exits.mirrors[level] : undefined
  if (!mirror || !market) return
  mirror.order = null
  const left = new Decimal(mirror.amount)
  if (isEnough(market, left, new Decimal(mirror.price))) return
  const { carried } = own.exits
  if (left.isZero()) own.filled = own.filled.filter((filled) => !mirror.levels.includes(filled))
  else {
    const amount = left.times(mirror.side === 'sell' ? 1 : -1).plus(carried.amount)
    own.exits.carried = { amount: amount.toFixed(), levels: [...carried.levels, ...mirror.levels] }
  }
  delete own.exits.mirrors[level]
}

/**
 * The line so many lines away from a price: of the rungs and the anchor. Beyond the outermost one the lines go on as far
 * apart as the last two.
 */
function lineBeyond(
  { rungs, anchor }: LadderState,
  from: Decimal,
  side: 'buy' | 'sell',
  count: number,
): Decimal {
  const sign = side === 'sell' ? 1 : -1
  const texts = rungs.map(({ price }) => price)
  if (anchor !== null) texts.push(anchor)
  const lineAt = (text: string): Line => ({ text, at: Number(text) * sign })
  // Doubles never turn an order round: only between equal ones the digits decide.
  const compare = (a: Line, b: Line) =>
    a.at - b.at || (a.text === b.text ? 0 : new Decimal(a.text).cmp(b.text) * sign)
  const lines = texts.map(lineAt).sort(compare)
  const apart = lines.filter((line, index) => index === 0 || compare(line, lines[index - 1] ?? line) !== 0)
  const start = lineAt(from.toFixed())
  const beyond = apart.filter((line) => compare(line, start) > 0)
  const found = beyond[count - 1]
  if (found) return new Decimal(found.text)
  const last = new Decimal(beyond.at(-1)?.text ?? from)
  const [one, other] = apart.slice(-2)
  const step = one && other ? new Decimal(other.text).minus(one.text) : new Decimal(0)
  return last.plus(step.times(count - beyond.length))
}

type Line = { text: string; at: number }

/** Those that should rest and do not. One that the market has passed already takes what it pays. */
export function mirrorDrafts(
  state: State,
  scene: ExitScene,
  ladder: ExitLadder,
  own: LadderState,
  exits: Exits,
): void {
  if (own.exits.leave !== null) return
  for (const [level, mirror] of Object.entries(own.exits.mirrors)) {
    if (aliveOf(state, own, `m${level}`)) continue
    const { side, price, amount } = mirror
    const touch = touchPrice(state, scene.strategy, ladder.symbol, side === 'sell' ? 'bid' : 'ask')
    const rests = !touch || (side === 'sell' ? touch.lt(price) : touch.gt(price))
    const { postOnly, rpi } = ladder.file.flags
    const flags = { ioc: false, postOnly: postOnly && rests, rpi: rpi && rests }
    const draft = exitDraft(state, scene, ladder, own, `m${level}`, { side, price, amount, ...flags })
    mirror.order = draft.id
    exits.drafts.push(draft)
  }
}

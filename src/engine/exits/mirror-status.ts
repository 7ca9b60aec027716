import { Decimal } from '#src/core/money/decimal.ts'
import {
  exitName,
  levelOf,
  mirrorKey,
  mirrorLabel,
  type ExitLabel,
} from '#src/strategy/schema/exit-labels.ts'
import type { ExitPlace } from './exit-orders.ts'
import { lacksMoney, moneyRetryAt } from './exit-waits.ts'
import { mirrorReason } from './kinds/mirror.ts'
import { exitsFrozen } from '#src/engine/rules/halts.ts'
import { openOrdersOfLadder } from '#src/engine/state/open-orders.ts'
import { areOrdersPaused, pauseReason } from '#src/engine/orders/order-pause.ts'
import { orderIdOf } from '#src/engine/orders/order-ids.ts'
import { awaitsPrice } from '#src/engine/state/session.ts'
import type { LadderState, Order } from '#src/engine/state/state.ts'

/** A mirror, or the last one of its label that has ended. */
export type MirrorStatus = {
  label: ExitLabel
  side: 'buy' | 'sell'
  amount: string
  price: string
  state: 'resting' | 'sent' | 'doubtful' | 'waits' | 'filled' | 'ended'
  /** Its reason, and the state of its order or why there is none. */
  why: string
}

/** All mirrors that a ladder wants now, and the last order of each label whose mirror is done. */
export function mirrorStatuses(place: ExitPlace): MirrorStatus[] {
  const { state, scene, ladder, own } = place
  const alive = openOrdersOfLadder(state, own)
  const wanted = Object.entries(own.exits.mirrors).map(([key, mirror]) => {
    const order = alive.get(mirrorLabel(key))
    return mirrorStatus(key, mirror, order ? orderStatus(order) : waiting(place, mirrorLabel(key)))
  })
  const done = Object.entries(own.generations).flatMap(([label, generation]) => {
    const key = mirrorKey(label)
    if (key === undefined || own.exits.mirrors[key]) return []
    const order =
      state.orders[orderIdOf(state, { strategy: scene.name, ladder: ladder.name, label }, generation)]
    return order ? [mirrorStatus(key, order, orderStatus(order, own))] : []
  })
  return [...wanted, ...done]
}

type Offer = Pick<MirrorStatus, 'side' | 'price' | 'amount'>

function mirrorStatus(key: string, { side, price, amount }: Offer, { state, why }: Status): MirrorStatus {
  const reason = mirrorReason(levelOf(key))
  return { label: mirrorLabel(key), side, price, amount, state, why: `${reason}; ${why}` }
}

type Status = Pick<MirrorStatus, 'state' | 'why'>

export function orderStatus(order: Order, own?: LadderState): Status {
  const { id, amount, filled, money } = order
  const left = new Decimal(amount).minus(filled).toFixed()
  const part = filled === '0' ? '' : `, ${filled} of ${amount} filled, ${left} left`
  switch (order.status) {
    case 'sending':
      return { state: 'sent', why: `${id} is in flight` }
    case 'resting':
      return { state: 'resting', why: `${id} is open at the venue${part}` }
    case 'doubtful':
      return {
        state: 'doubtful',
        why: `the outcome of ${id} is unknown: ${order.why ?? 'no answer came'}${part}`,
      }
    case 'ended': {
      if (filled !== '0' && new Decimal(filled).gte(amount)) {
        const price = new Decimal(money).div(filled).toSignificantDigits(12).toFixed()
        return { state: 'filled', why: `${id} has filled: ${filled} at ${price}` }
      }
      const level = levelOf(mirrorKey(order.level) ?? '')
      const isCarried = own?.exits.carried.levels.includes(level) === true
      const rest = isCarried ? '; the rest is below the minimum of the market and joins the next mirror' : ''
      return { state: 'ended', why: `${id} has ended (${order.why ?? 'unknown reason'})${part}${rest}` }
    }
  }
}

function waiting(place: ExitPlace, label: ExitLabel): Status {
  return { state: 'waits', why: `it waits: ${waitReason(place, label)}` }
}

/** Why a mirror has no order. */
function waitReason({ state, scene, ladder: { symbol }, own }: ExitPlace, label: ExitLabel): string {
  const { leave } = own.exits
  const mine = state.strategies[scene.name]
  if (mine && exitsFrozen(state, mine)) return 'exits are stopped'
  if (leave !== null) return `the exit ${exitName(leave)} closes the whole position first`
  if (awaitsPrice(state, symbol)) return `no price of ${symbol} since the start of the bot`
  if (areOrdersPaused(state)) return pauseReason(state).why
  const isPoor = lacksMoney(own, label)
  const until = isPoor ? moneyRetryAt(own) : (own.exitWaits[label]?.until ?? 0)
  const wait = `retry in ${Math.ceil((until - state.at) / 1000)} s`
  if (until > state.at)
    return isPoor
      ? `the account lacks money for it; ${wait} or when money is free, one mirror after the other`
      : `the venue or a limit refused its order; ${wait}`
  return 'its order is sent with one of the next requests'
}

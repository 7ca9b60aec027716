import type { OrderDraft } from '#src/engine/commands.ts'
import type { Order } from '#src/engine/state/state.ts'
import { decimal } from '#src/core/money/decimal.ts'
import type { strategy } from '#test/engine/support/working-state.ts'
import { size, textOf, trade, unitsOf, type ModelPosition } from './naive-position.ts'

/** Lots are thousandths, ticks hundredths; money is in 10^-24, so that shares lose no visible digit. */
export const toMoney = 10n ** 19n
export const rounding = 10n ** 8n
export const names = ['long', 'short', 'both'] as const
export type Name = (typeof names)[number]
export const ladderOf = { long: 'dip', short: 'top', both: 'grid' } as const

export type GateFacts = {
  long: Record<Name, bigint>
  short: Record<Name, bigint>
  bought: bigint
  sold: bigint
  netLong: bigint
  netShort: bigint
  total: bigint
  loss: bigint
}

export function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** The worst of every set of fills, in the order in which the orders stand here: 2^n of them. */
/** The prices between which all ladders trade, in ticks; null if they follow the market. */
export type TickRange = { from: bigint; to: bigint } | null
const price = 100_000n
const least = (one: bigint, other: bigint) => (one < other ? one : other)

export function worstOf(
  orders: readonly (OrderDraft | Order)[],
  held: Record<Name, ModelPosition>,
  move: number,
  range: TickRange = null,
): GateFacts {
  const start = move < 0 ? least(price, range?.from ?? price) : most(price, range?.to ?? price)
  const end = (start * BigInt(100 + move)) / 100n
  const worst: GateFacts = {
    long: { long: 0n, short: 0n, both: 0n },
    short: { long: 0n, short: 0n, both: 0n },
    bought: 0n,
    sold: 0n,
    netLong: 0n,
    netShort: 0n,
    total: 0n,
    loss: 0n,
  }
  const visit = (index: number, now: Record<Name, ModelPosition>, isOnTheWay: boolean): void => {
    const order = orders[index]
    if (!order) {
      let [net, total, loss] = [0n, 0n, 0n]
      for (const name of names) {
        const { lots, cost, realized } = now[name]
        worst.long[name] = most(worst.long[name], cost)
        worst.short[name] = most(worst.short[name], -cost)
        net += cost
        total += size(cost)
        loss += cost - lots * end * toMoney - realized
      }
      worst.bought = most(worst.bought, now.both.lots)
      worst.sold = most(worst.sold, -now.both.lots)
      worst.netLong = most(worst.netLong, net)
      worst.netShort = most(worst.netShort, -net)
      worst.total = most(worst.total, total)
      if (isOnTheWay) worst.loss = most(worst.loss, loss)
      return
    }
    visit(index + 1, now, isOnTheWay)
    const name = names.find((name) => ladderOf[name] === order.ladder)!
    const left = unitsOf(order.amount, 3) - filledOf(order)
    const ticks = unitsOf(order.price, 2)
    const lots = order.side === 'buy' ? left : -left
    const isReached = order.side === 'buy' ? move < 0 && ticks >= end : move > 0 && ticks <= end
    const after = left === 0n ? now[name] : trade(now[name], lots, lots * ticks * toMoney)
    visit(index + 1, { ...now, [name]: after }, isOnTheWay && isReached)
  }
  visit(0, held, true)
  return worst
}

export const inMoney = (value: bigint) => value * 10n ** 24n

/** Rounded up. */
export function cents(value: bigint): string {
  const cent = 10n ** 22n
  return textOf((value + cent - 1n) / cent, 2)
}

export function entered(orders: readonly (OrderDraft | Order)[]): bigint {
  return orders
    .filter(({ role }) => role === 'entry')
    .reduce((sum, order) => {
      const left = unitsOf(order.amount, 3) - filledOf(order)
      return sum + left * unitsOf(order.price, 2) * toMoney
    }, 0n)
}

function filledOf(order: OrderDraft | Order): bigint {
  return 'filled' in order ? unitsOf(order.filled, 3) : 0n
}

/** The same ladders, bounded by a range. */
export function laddersIn(
  ladders: typeof strategy.ladder,
  { from, to }: NonNullable<TickRange>,
): typeof strategy.ladder {
  const spacing = {
    kind: 'range',
    from: decimal(textOf(from, 2)),
    to: decimal(textOf(to, 2)),
    by: 'price',
  } as const
  return Object.fromEntries(Object.entries(ladders).map(([name, ladder]) => [name, { ...ladder, spacing }]))
}

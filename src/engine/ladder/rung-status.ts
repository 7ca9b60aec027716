import { openOrdersOfStrategy } from '#src/engine/state/open-orders.ts'
import { nearPriceOf } from '#src/engine/state/prices.ts'
import type { Reason, ReasonKind } from './reason.ts'
import { awaitsPrice, isAccountUnread } from '#src/engine/state/session.ts'
import { cooling } from '#src/engine/exits/cooldown.ts'
import { rungPriceOf } from './slide.ts'
import type { Compiled, CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import type { LadderState, Order, RungState, State, StrategyState } from '#src/engine/state/state.ts'

/**
 * How a rung stands: by the order that stands for it, or by the first thing that keeps it from having one. Without
 * either it is ready to be placed, if the gate lets it pass.
 */
export type RungStatus = {
  rung: RungState
  order: Order | null
  /** Whether the order is what the rung asks for. */
  fits: boolean
  /** Counted from the price, among those that need a place. */
  rank: number
  /** So far beyond the window that it is taken back. */
  isFar: boolean
  reason: Reason | null
}

/** Of each ladder, looked at once, for as long as no order of a rung is sent or ends. */
export function rungStatuses(state: State, compiled: Compiled, own: StrategyState): RungStatuses {
  const known = new Map<string, RungStatus[]>()
  return (ladder) => {
    let found = known.get(ladder.name)
    if (!found) {
      const mine = own.ladders[ladder.name]
      found = mine ? rungStatusesOf(state, compiled, ladder, mine) : []
      known.set(ladder.name, found)
    }
    return found
  }
}

/** Among the rungs that need a place; none for one that has filled, and for all while no price is known. */
export type RungStatuses = (ladder: CompiledLadder) => RungStatus[]

type Near = { rank: number; isWithin: boolean; isFar: boolean }

/** Prices are compared as doubles here: it is about which rungs are near, never about what is paid. */
export function rungStatusesOf(
  state: State,
  compiled: Compiled,
  ladder: CompiledLadder,
  own: LadderState,
): RungStatus[] {
  const price = nearPriceOf(state, compiled.strategy, ladder.symbol)?.value
  const most = ladder.file.resting.max ?? Infinity
  const alive = openOrdersOfStrategy(state, own)
  const places = placesOf(ladder, own, alive, price)
  // Where nothing can be taken back, far orders stay, and must not keep the near ones out.
  let room = compiled.canCancel && most < Infinity ? most - placedOf(own.rungs, alive) : Infinity
  const stand = (rung: RungState, place: Near | undefined): RungStatus => {
    const order = alive.get(rung.level) ?? null
    const isSame = order !== null && rungPriceOf(order) === rung.price && order.amount === rung.amount
    // One that was at work in an episode before this one has only its rest to give.
    const fits = isSame && order.isFormer !== true
    const reason = order
      ? otherOrder(rung, order, fits, compiled.canCancel)
      : (barred(state, compiled, ladder, own, rung, price) ?? windowed(ladder, own, place, room))
    if (!order && reason === null) room--
    return { rung, order, fits, rank: place?.rank ?? 0, isFar: place?.isFar ?? false, reason }
  }
  if (places === null) return own.rungs.map((rung) => stand(rung, undefined))
  const standings: RungStatus[] = []
  const inTurn: RungStatus[] = []
  for (const index of places.nearestFirst) {
    const rung = own.rungs[index]
    if (rung) inTurn.push((standings[index] = stand(rung, places.byRung[index])))
  }
  if (most < Infinity) makeRoom(inTurn, most)
  if (ladder.stopsOnFail) keepBack(inTurn)
  return standings
}

/**
 * One that is kept just outside of the window, to save a move, gives its place up for one that is nearer by more than a
 * rung: else what rests would depend on the way that prices took.
 */
function makeRoom(standings: readonly RungStatus[], most: number): void {
  const kept = standings
    .filter(({ order, isFar, rank }) => order && !isFar && rank >= most)
    .sort((a, b) => b.rank - a.rank)
  for (const crowded of standings.filter(({ reason }) => reason?.kind === 'crowded')) {
    const [farthest] = kept
    if (!farthest || farthest.rank - crowded.rank < 2) return
    farthest.isFar = true
    kept.shift()
  }
}

/** Never the tail without the head: those behind one that the venue did not take wait for it. */
function keepBack(standings: readonly RungStatus[]): void {
  let first: RungStatus | undefined
  for (const standing of standings) {
    if (standing.reason && headKinds.has(standing.reason.kind)) first ??= standing
    else if (first?.reason && !standing.order && standing.reason === null) {
      const { why, change } = first.reason
      standing.reason = {
        kind: 'behind',
        why: `it waits for level ${first.rung.level} before it: ${why}`,
        change,
      }
    }
  }
}

/** What keeps a rung without its order, and those behind it with `stopOnFail`. */
export const headKinds: ReadonlySet<ReasonKind> = new Set(['refused', 'waits', 'former order', 'stays'])

function otherOrder(rung: RungState, order: Order, fits: boolean, canCancel: boolean): Reason | null {
  if (order.refusals > 0) {
    const change = 'the venue must cancel it: the bot retries'
    return { kind: 'stays', why: order.why ?? '', change }
  }
  if (fits) return null
  const is =
    order.isFormer === true ? 'from the previous episode' : `at ${order.price} instead of ${rung.price}`
  const why = `${order.id} is still open for this level, ${is}`
  const change = canCancel ? 'the bot cancels it first' : 'it must end first: this venue cannot cancel orders'
  return { kind: 'former order', why, change }
}

function barred(
  state: State,
  { name }: Compiled,
  ladder: CompiledLadder,
  own: LadderState,
  rung: RungState,
  price: number | undefined,
): Reason | null {
  if (own.filled.includes(rung.level)) {
    const change =
      ladder.file.exit?.mirror === undefined
        ? 'the next episode places it again'
        : 'it is placed again when its mirror has filled'
    return { kind: 'filled', why: 'it has filled in this episode', change }
  }
  if (own.goal !== 'ensure')
    return {
      kind: 'goal',
      ...goalWords[own.goal],
      change: `a rule with "ensure: ${ladder.name}" must be true`,
    }
  const cools = cooling(state, ladder, own)
  if (cools !== undefined)
    return { kind: 'cooldown', why: cools, change: 'the ladder is placed again after the cooldown' }
  if (own.frozen !== null)
    return {
      kind: 'frozen',
      why: `the ladder is frozen: ${own.frozen}`,
      change: `rungs resume ${name} resumes it`,
    }
  if (rung.held !== null)
    return {
      kind: 'refused',
      why: rung.held,
      change: `the bot retries it when the ladder is recomputed, or after rungs resume ${name}`,
    }
  const { count, until, why = 'its message is not stored' } = rung.wait
  if (until > state.at)
    return {
      kind: 'waits',
      why: `the venue refused it${count > 1 ? ` ${count} times` : ''}: ${why}`,
      change: `retry in ${Math.ceil((until - state.at) / 1000)} s`,
    }
  if (isAccountUnread(state))
    return {
      kind: 'unread',
      why: 'the account has not been read since the start of the bot',
      change: 'the bot continues when it has read the whole account',
    }
  if (awaitsPrice(state, ladder.symbol))
    return {
      kind: 'unpriced',
      why: `no price of ${ladder.symbol} since the start of the bot`,
      change: 'the bot continues with the first price',
    }
  if (!rung.crossed) return beyondMarket(state, ladder, rung, price)
  const { crossed } = rung
  if (crossed.until > state.at)
    return {
      kind: 'waits',
      why: `the order is maker only and would take${crossed.count > 1 ? ` ${crossed.count} times` : ''}: ${crossed.why}`,
      change: `the bot places it again in ${Math.ceil((crossed.until - state.at) / 1000)} s`,
    }
  return crossed.beyond === null ? beyondMarket(state, ladder, rung, price) : null
}

const goalWords = {
  none: { why: 'no rule ensures it' },
  freeze: { why: 'a rule has frozen the ladder' },
  retire: { why: 'a rule has cancelled the ladder' },
} as const

/** What must not take is not sent while it would; nor is a line of a grid that the market has run past. */
function beyondMarket(
  { quotes }: State,
  { symbol, file }: CompiledLadder,
  rung: RungState,
  price: number | undefined,
): Reason | null {
  const mustRest = file.side === 'both' || file.flags.postOnly || file.flags.rpi
  if (!mustRest) return null
  const quote = quotes[symbol]
  const edge = (rung.side === 'buy' ? quote?.ask : quote?.bid) ?? price
  if (edge === undefined) return null
  const own = Number(rung.price)
  if (rung.side === 'buy' ? own < edge : own > edge) return null
  const way = rung.side === 'buy' ? 'above' : 'below'
  return {
    kind: 'beyond',
    why: `the market price ${edge} is beyond this rung`,
    change: `a price ${way} ${rung.price} allows the order`,
  }
}

function windowed(
  ladder: CompiledLadder,
  own: LadderState,
  place: Near | undefined,
  room: number,
): Reason | null {
  const { max } = ladder.file.resting
  if (place === undefined) return null
  if (!place.isWithin)
    return {
      kind: 'window',
      why: `its distance to the price is more than ${ladder.within}`,
      change: 'the price must come closer',
    }
  const rank = place.rank + 1
  if (max !== undefined && rank > max)
    return {
      kind: 'window',
      why: `it is number ${rank} from the price, and at most ${max} rungs rest`,
      change: 'the price must come closer',
    }
  if (room <= 0)
    return {
      kind: 'crowded',
      why: `${max} of ${own.rungs.length} rungs already rest`,
      change: 'the bot cancels the farthest order when it is two rungs farther away than this rung',
    }
  return null
}

function placedOf(rungs: readonly RungState[], alive: ReadonlyMap<string, Order>): number {
  let placed = 0
  for (const { level } of rungs) if (alive.has(level)) placed++
  return placed
}

type Places = {
  byRung: (Near | undefined)[]
  /** The numbers of all rungs; those that need no place wait for none, and are behind. */
  nearestFirst: number[]
}

/**
 * Null where all may rest at once, and none waits for another. Those that have filled need no place. Without a price
 * nobody is near, and what rests stays.
 */
function placesOf(
  { file, stopsOnFail }: CompiledLadder,
  { rungs, filled }: LadderState,
  alive: ReadonlyMap<string, Order>,
  price: number | undefined,
): Places | null {
  const { max = Infinity, within } = file.resting
  if (max === Infinity && within === undefined && !stopsOnFail) return null
  const byRung: (Near | undefined)[] = rungs.map(() => undefined)
  const all = rungs.map((_, index) => index)
  if (price === undefined) return { byRung, nearestFirst: all }
  const far = rungs.map((rung) => Math.abs(Number(rung.price) - price) / price)
  const needsPlace = ({ level }: RungState) => !filled.includes(level) || alive.has(level)
  const inTurn = all.filter((index) => needsPlace(rungs[index]!)).sort((a, b) => far[a]! - far[b]!)
  const limit = within?.toNumber() ?? Infinity
  const step = inTurn.length > 1 ? Math.abs(Number(rungs[0]?.price) - Number(rungs[1]?.price)) / price : 0
  let rank = 0
  for (const index of inTurn) {
    const distance = far[index]!
    byRung[index] = { rank, isWithin: distance <= limit, isFar: rank > max || distance > limit + step }
    rank++
  }
  const others = all.filter((index) => byRung[index] === undefined)
  return { byRung, nearestFirst: others.length > 0 ? [...inTurn, ...others] : inTurn }
}

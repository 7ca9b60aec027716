import { formatAtoms, parseSignedAtoms, type Atoms } from '#src/core/money/atoms.ts'

/**
 * Matched pairs: the opening fills of a rung with the fills that closed them. Money has the sign of its amount, positive for a
 * purchase. All of it is plain JSON, since the state holds it.
 */
export type Pairs = {
  /** Open lots, the oldest first: one lot for a rung, at its average. */
  lots: Lot[]
  /** Closed amounts by `ladder.level`. */
  closed: Record<string, Closed>
}

type Lot = {
  /** Empty for a holding from before pairs were counted. */
  ladder: string
  level: string
  amount: string
  money: string
  fee: string
  /** Number of entry orders of the lot that are not closed in full, and the number of the last one. */
  orders: number
  last: number
  /** The open amounts of several orders, the oldest first, without a sign. A lot of an older state has one for all of them. */
  parts?: Part[]
  /** A lot of a ladder without exits: entries of other such ladders may close it. */
  free?: true
  /** An exit opened the lot, since it closed more than was held. */
  over?: true
}

type Part = { amount: string; orders: number }
/** Beyond, the two oldest orders count together. */
const partsMax = 1000

/** `orders`: entry orders whose fills were closed in full. */
type Closed = { ladder: string; level: string; orders: number; profit: string }

/** How a fill is matched. */
export type Matching = {
  level: string
  /** Number of the order within its level. */
  order: number
  fee: string
  /**
   * An entry of a ladder with mirrors opens; one of a ladder with other exits first closes what its ladder holds on the other
   * side; one of a ladder without exits closes what all such ladders hold. An exit closes its ladder; a mirror, its levels.
   */
  by: { entry: ClosedBy } | { exit: ClosedBy } | { mirror: string[] }
}

/** What closes the entries of a ladder. */
export type ClosedBy = 'mirrors' | 'exits' | 'entries'

export type PairFill = Matching & { ladder: string; amount: string; money: string }

type Open = { amount: Atoms; money: Atoms; fee: Atoms }

/**
 * A fill has closed this amount of a lot. Both sides have the money and the fees of the amount. `ended`: the closed part of the
 * rung, if no part of the lot is open any more.
 */
export type Match = {
  lot: Readonly<Lot>
  amount: Atoms
  opening: Share
  closing: Share
  ended: Closed | undefined
}
type Share = { money: Atoms; fee: Atoms }
type OnMatch = (match: Match) => void

export function newPairs(): Pairs {
  return { lots: [], closed: {} }
}

/** Matches one more fill. If the order has filled no further, its numbers are corrected. */
export function matchFill(pairs: Pairs, fill: PairFill, onMatch?: OnMatch): void {
  const rest = openOf(fill)
  if (rest.amount === 0n) return correct(pairs, fill, rest)
  if ('exit' in fill.by) netLadder(pairs, fill, rest.amount > 0n, onMatch)
  for (const isNext of turnsOf(fill)) close(pairs, fill, rest, isNext, onMatch)
  if (rest.amount !== 0n) open(pairs, fill, rest)
}

type IsNext = (lot: Lot) => boolean

const isFree: IsNext = (lot) => lot.free === true
const isOlder: IsNext = (lot) => lot.ladder === ''

/** The lots that a fill closes, in turn; of each kind the oldest first. */
function turnsOf({ ladder, by }: PairFill): IsNext[] {
  const isOwn: IsNext = (lot) => lot.ladder === ladder
  if ('mirror' in by) {
    const levels = by.mirror.map(
      (level): IsNext =>
        (lot) =>
          isOwn(lot) && lot.level === level,
    )
    return [...levels, isOwn, isOlder]
  }
  if ('exit' in by) return by.exit === 'entries' ? [isOwn, isFree, isOlder] : [isOwn, isOlder]
  if (by.entry === 'mirrors') return [(lot) => isOwn(lot) && lot.over === true]
  return by.entry === 'exits' ? [isOwn, isOlder] : [(lot) => isOwn(lot) || isFree(lot), isOlder]
}

/** An exit of the whole position closes the net of the ladder: its rungs of both sides are matched with each other first. */
function netLadder(pairs: Pairs, { ladder }: PairFill, isBuy: boolean, onMatch?: OnMatch): void {
  const isOwn: IsNext = (lot) => lot.ladder === ladder
  for (const lot of pairs.lots.filter((each) => isOwn(each) && isBuyLot(each) === isBuy)) {
    const rest = openOf(lot)
    close(pairs, lot, rest, isOwn, onMatch)
    store(pairs, lot, rest)
  }
}

/**
 * Closes as much of these lots as possible; shares of money are truncated to the smallest unit, and the rest stays with the lot.
 */
function close(
  pairs: Pairs,
  by: { ladder: string; level: string; by?: Matching['by'] },
  rest: Open,
  isNext: IsNext,
  onMatch?: OnMatch,
): void {
  if (rest.amount === 0n) return
  const isBuy = rest.amount > 0n
  for (const lot of pairs.lots.filter((each) => isNext(each) && isBuyLot(each) !== isBuy)) {
    const left = openOf(lot)
    const amount = size(left.amount) < size(rest.amount) ? size(left.amount) : size(rest.amount)
    const [closed, closing] = [takeShare(left, amount), takeShare(rest, amount)]
    const profit = -(closed.money + closing.money + closed.fee + closing.fee)
    // What an exit closed beyond the holding belongs to the next entry.
    const isLate = lot.over === true && by.by !== undefined && 'entry' in by.by
    addProfit(pairs, isLate ? by : lot, profit)
    const own = closedOf(pairs, isLate ? by : lot)
    onMatch?.({ lot, amount, opening: closed, closing, ended: left.amount === 0n ? own : undefined })
    own.orders += store(pairs, lot, left)
    if (rest.amount === 0n) return
  }
}

/** This much of the open amount was lost without a sale: it is in no pair, and its cost is no part of the floating result. */
export function dropOpen(pairs: Pairs, amount: Atoms): void {
  const rest = { amount: -amount }
  for (const lot of pairs.lots.filter((each) => isBuyLot(each) === amount > 0n)) {
    const left = openOf(lot)
    const gone = size(left.amount) < size(rest.amount) ? size(left.amount) : size(rest.amount)
    takeShare(left, gone)
    rest.amount += amount > 0n ? gone : -gone
    store(pairs, lot, left)
    if (rest.amount === 0n) return
  }
}

function takeShare(of: Open, amount: Atoms): Share {
  const whole = size(of.amount)
  const [money, fee] = [shareOf(of.money, amount, whole), shareOf(of.fee, amount, whole)]
  of.amount += of.amount > 0n ? -amount : amount
  of.money -= money
  of.fee -= fee
  return { money, fee }
}

function shareOf(whole: Atoms, part: Atoms, of: Atoms): Atoms {
  return part === of ? whole : (whole * part) / of
}

function open(pairs: Pairs, { ladder, level, order, by }: PairFill, rest: Open): void {
  const isBuy = rest.amount > 0n
  const lot = pairs.lots.find(
    (each) => each.ladder === ladder && each.level === level && isBuyLot(each) === isBuy,
  )
  if (!lot) {
    const isFree = ('entry' in by && by.entry === 'entries') || ('exit' in by && by.exit === 'entries')
    const about = { ladder, level, orders: 1, last: order, ...(isFree && { free: true as const }) }
    pairs.lots.push({ ...about, ...textsOf(rest), ...(!('entry' in by) && { over: true as const }) })
    return
  }
  const { amount, money, fee } = openOf(lot)
  addPart(lot, size(rest.amount), lot.last !== order)
  Object.assign(
    lot,
    textsOf({ amount: amount + rest.amount, money: money + rest.money, fee: fee + rest.fee }),
  )
  lot.last = order
}

function addPart(lot: Lot, amount: Atoms, isNew: boolean): void {
  if (isNew) lot.orders += 1
  const parts = lot.parts ?? (isNew ? [{ amount: unsigned(lot), orders: lot.orders - 1 }] : undefined)
  const last = parts?.at(-1)
  if (parts === undefined || last === undefined) return
  if (isNew) parts.push({ amount: formatAtoms(amount), orders: 1 })
  else last.amount = formatAtoms(parseSignedAtoms(last.amount) + amount)
  if (parts.length > partsMax) parts.splice(0, 2, joined(parts[0], parts[1]))
  lot.parts = parts
}

function joined(...parts: (Part | undefined)[]): Part {
  const amount = parts.reduce((sum, part) => sum + parseSignedAtoms(part?.amount ?? '0'), 0n)
  return { amount: formatAtoms(amount), orders: parts.reduce((sum, part) => sum + (part?.orders ?? 0), 0) }
}

/** Takes an amount from the oldest orders of a lot; returns the number of those of which nothing is left. */
function takeParts(lot: Lot, amount: Atoms): number {
  const { parts } = lot
  if (parts === undefined) return 0
  let [rest, ended] = [amount, 0]
  for (let part = parts[0]; part !== undefined && rest > 0n; part = parts[0]) {
    const open = parseSignedAtoms(part.amount)
    if (rest < open) part.amount = formatAtoms(open - rest)
    else {
      parts.shift()
      ended += part.orders
    }
    rest -= open
  }
  lot.orders -= ended
  if (parts.length < 2) delete lot.parts
  return ended
}

/** Money or a fee without an amount: added to the open lot of the rung, or else to the closed part. */
function correct(pairs: Pairs, { ladder, level, by }: PairFill, { money, fee }: Open): void {
  const rung = { ladder, level: ('mirror' in by && by.mirror[0]) || level }
  const lot = pairs.lots.find((each) => each.ladder === ladder && each.level === rung.level)
  if (!lot) return addProfit(pairs, rung, -(money + fee))
  const known = openOf(lot)
  Object.assign(lot, textsOf({ ...known, money: known.money + money, fee: known.fee + fee }))
}

/** Returns the number of entry orders of which nothing is open any more. */
function store(pairs: Pairs, lot: Lot, rest: Open): number {
  if (rest.amount === 0n) {
    pairs.lots.splice(pairs.lots.indexOf(lot), 1)
    return lot.orders
  }
  const ended = takeParts(lot, size(openOf(lot).amount) - size(rest.amount))
  Object.assign(lot, textsOf(rest))
  return ended
}

function addProfit(pairs: Pairs, of: { ladder: string; level: string }, profit: Atoms): void {
  const closed = closedOf(pairs, of)
  closed.profit = formatAtoms(parseSignedAtoms(closed.profit) + profit)
}

function closedOf({ closed }: Pairs, { ladder, level }: { ladder: string; level: string }): Closed {
  return (closed[`${ladder}.${level}`] ??= { ladder, level, orders: 0, profit: '0' })
}

function openOf({ amount, money, fee }: { amount: string; money: string; fee: string }): Open {
  return {
    amount: parseSignedAtoms(amount),
    money: parseSignedAtoms(money),
    fee: parseSignedAtoms(fee),
  }
}

function textsOf({ amount, money, fee }: Open): { amount: string; money: string; fee: string } {
  return { amount: formatAtoms(amount), money: formatAtoms(money), fee: formatAtoms(fee) }
}

function unsigned({ amount }: Lot): string {
  return amount.replace('-', '')
}

function isBuyLot({ amount }: Lot): boolean {
  return !amount.startsWith('-')
}

function size(value: Atoms): Atoms {
  return value < 0n ? -value : value
}

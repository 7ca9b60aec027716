import { oneUnit, parseAtoms } from '#src/core/money/atoms.ts'

/** An order that rests or may rest: its open part holds back its notional divided by the leverage. */
export type OrderHolder = {
  id: string
  price: string
  /** The part that has not filled, as far as is known. */
  left: string
  amountDigits: number
}

export type FrozenCombination =
  /** Orders with unknown outcome that must exist; all others of them do not. */
  { placed: ReadonlySet<string> } | { why: string }

/** A longer search gives no answer: the step that asks must stay short. */
const nodesMax = 200_000

/**
 * Finds which of the orders with unknown outcome explain the held-back amount, beyond what the known resting orders hold back.
 * Only a unique explanation counts. A partly filled order holds back less before any report of the fill, so each explanation may
 * assume a partial fill of one order: in one queue at most one order at a time can be partly filled. In several queues there can
 * be more, and a fill in one queue may close a position for free: then only two cases can be told apart, all of them (which can
 * never hold back more than this) and none of them (which hold back nothing).
 */
export function frozenCombinations(about: {
  freeze: string
  leverage: number
  /** The venue rounds the held-back amount up, once in each market. */
  markets: number
  /** Whether all of them are on one side of one market. */
  isOneQueue: boolean
  resting: readonly OrderHolder[]
  doubtful: readonly OrderHolder[]
}): FrozenCombination {
  const leverage = BigInt(about.leverage)
  const slack = BigInt(about.markets) * (leverage - 1n) * oneUnit
  const resting = about.resting.map(measured)
  const doubtful = about.doubtful.map(measured).sort((a, b) => (a.all < b.all ? 1 : a.all > b.all ? -1 : 0))
  const unexplained = parseAtoms(about.freeze) * leverage * oneUnit - sumOf(resting)
  if (!about.isOneQueue) {
    const excess = unexplained - sumOf(doubtful)
    if (excess >= 0n && excess <= slack) return { placed: new Set(doubtful.map(({ id }) => id)) }
    if (resting.length === 0 && unexplained === 0n) return { placed: new Set() }
    return { why: 'orders of several queues freeze balance, and only a part of it is known' }
  }
  const partMost = [...resting, ...doubtful].reduce((most, each) => (each.part > most ? each.part : most), 0n)
  const search = new Search(resting, doubtful, { unexplained, slack, partMost })
  search.visit(0, 0n)
  if (search.nodes > nodesMax) return { why: 'too many combinations could explain the frozen balance' }
  const [placed, ...others] = search.found
  if (placed === undefined)
    return { why: 'no combination of the orders with unknown outcome explains the frozen balance' }
  return others.length > 0
    ? { why: 'several combinations of the orders with unknown outcome explain the frozen balance' }
    : { placed }
}

type Measured = {
  id: string
  /** All in units of 10^-36, in which every product of a price and an amount is exact. */
  all: bigint
  lot: bigint
  /** The most of an order that can have filled while it still rests. */
  part: bigint
}

function measured({ id, price, left, amountDigits }: OrderHolder): Measured {
  const all = parseAtoms(price) * parseAtoms(left)
  const lot = parseAtoms(price) * 10n ** BigInt(18 - amountDigits)
  return { id, all, lot, part: all - lot }
}

function sumOf(holders: readonly Measured[]): bigint {
  return holders.reduce((sum, { all }) => sum + all, 0n)
}

class Search {
  readonly found: Set<string>[] = []
  nodes = 0
  readonly #resting: readonly Measured[]
  readonly #doubtful: readonly Measured[]
  readonly #goal: { unexplained: bigint; slack: bigint; partMost: bigint }
  /** The sum of all orders from here on. */
  readonly #rest: bigint[] = [0n]
  readonly #chosen: Measured[] = []

  constructor(
    resting: readonly Measured[],
    doubtful: readonly Measured[],
    goal: { unexplained: bigint; slack: bigint; partMost: bigint },
  ) {
    this.#resting = resting
    this.#doubtful = doubtful
    this.#goal = goal
    for (const { all } of doubtful.toReversed()) this.#rest.unshift(all + (this.#rest[0] ?? 0n))
  }

  /** Continues with the order at `place`, with and without it, and stops at the second explanation. */
  visit(place: number, sum: bigint): void {
    this.nodes += 1
    if (this.nodes > nodesMax || this.found.length > 1) return
    const { unexplained, slack, partMost } = this.#goal
    if (sum - unexplained > partMost || sum + (this.#rest[place] ?? 0n) < unexplained - slack) return
    const next = this.#doubtful[place]
    if (next === undefined) {
      if (this.#explains(sum - unexplained)) this.found.push(new Set(this.#chosen.map(({ id }) => id)))
      return
    }
    this.#chosen.push(next)
    this.visit(place + 1, sum + next.all)
    this.#chosen.pop()
    this.visit(place + 1, sum)
  }

  /** Whether nothing is missing, except for rounding and as many lots as one order can have filled. */
  #explains(missing: bigint): boolean {
    const { slack } = this.#goal
    if (missing <= 0n) return true
    const fits = ({ lot, part }: Measured) => {
      const filled = ((missing + lot - 1n) / lot) * lot
      return filled <= part && filled - missing <= slack
    }
    return this.#resting.some(fits) || this.#chosen.some(fits)
  }
}

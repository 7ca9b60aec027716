import { oneUnit, parseAtoms } from '#src/core/money/atoms.ts'

/** An order that rests, or may rest: what is left of it holds back its notional divided by the leverage. */
export type OrderHolder = {
  id: string
  price: string
  /** What of it has not filled, as far as is known. */
  left: string
  amountDigits: number
}

export type FrozenCombination =
  /** Those in doubt that must be there; all others of them are not. */
  { placed: ReadonlySet<string> } | { why: string }

/** A search that goes on for longer says nothing: the step that asks must stay short. */
const nodesMax = 200_000

/**
 * Which of the orders in doubt account for what the venue holds back, beyond what those that are known to rest hold. Only
 * an answer without any other is one. An order that fills in part holds less without anybody telling us, so each
 * explanation may take a part of one order for filled: in one queue at most one order at a time can be in that state. In
 * several queues there can be more, and what fills in one lets the other close it for nothing: then only all of them, which
 * can never hold more than this, and none of them, which hold nothing, can be told.
 */
export function frozenCombinations(about: {
  freeze: string
  leverage: number
  /** The venue rounds what it holds up, once in each market. */
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
  /** All in 10^-36, in which every product of a price and an amount is exact. */
  all: bigint
  lot: bigint
  /** The most that can have filled of it while it still rests. */
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
  /** What all from here on come to. */
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

  /** Goes on with the order at `place`, with and without it, and stops at the second explanation. */
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

  /** Whether nothing is missing, but for what rounding adds, or as many lots as one order can have filled. */
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

import { firstIndex } from '#src/core/objects/first-index.ts'
import { parseAtoms } from '#src/core/money/atoms.ts'

export type BookLevel = { price: string; amount: string }
/** Levels as they travel: a price and an amount, which is 0 where the level is gone. */
type Levels = readonly (readonly [string, string])[]
export type BookFrame = {
  update_id: number
  past_update_id?: number | undefined
  asks?: Levels | undefined
  bids?: Levels | undefined
}

type Entry = BookLevel & { atoms: bigint }

/**
 * An order book kept from frames. It believes nothing that cannot be: a frame that does not follow the one before it,
 * levels out of order, a best bid that is not below the best ask. Then it says why, and knows nothing until a whole
 * book comes.
 */
export class LocalBook {
  readonly #limit: number
  /** Best first. */
  #bids: Entry[] = []
  #asks: Entry[] = []
  #updateId: number | undefined

  /** More levels than these are forgotten, as the venue does not tell of them. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Of the frame that was taken last; undefined while nothing is known. */
  get updateId(): number | undefined {
    return this.#updateId
  }

  get bids(): readonly BookLevel[] {
    return this.#bids
  }

  get asks(): readonly BookLevel[] {
    return this.#asks
  }

  /** Nothing is known any more. */
  forget(): void {
    this.#bids = []
    this.#asks = []
    this.#updateId = undefined
  }

  /** The whole book. Returns what was wrong with it, or with what was held to be true so far. */
  replace({ update_id: updateId, asks = [], bids = [] }: BookFrame): string | undefined {
    const [newAsks, newBids] = [asks.map(entry), bids.map(entry)]
    const before = { asks: this.#asks, bids: this.#bids, updateId: this.#updateId }
    this.#asks = newAsks.slice(0, this.#limit)
    this.#bids = newBids.slice(0, this.#limit)
    this.#updateId = updateId
    const wrong = inOrder(newAsks, true) && inOrder(newBids, false) ? this.#wrong() : 'levels out of order'
    if (wrong !== undefined) {
      this.forget()
      return wrong
    }
    if (before.updateId === undefined) return undefined
    if (before.updateId > updateId) return 'an older book came'
    const same = alike(before.asks, this.#asks) && alike(before.bids, this.#bids)
    return before.updateId < updateId || same ? undefined : 'the book does not fit the last one'
  }

  /** What has changed. Returns what was wrong with it. */
  change({ update_id: updateId, past_update_id: past, asks = [], bids = [] }: BookFrame): string | undefined {
    const wrong =
      past !== this.#updateId
        ? 'a frame is missing'
        : updateId <= (past ?? 0)
          ? 'the update ids do not increase'
          : undefined
    if (wrong === undefined) {
      for (const level of asks) put(this.#asks, entry(level), true)
      for (const level of bids) put(this.#bids, entry(level), false)
      this.#asks.length = Math.min(this.#asks.length, this.#limit)
      this.#bids.length = Math.min(this.#bids.length, this.#limit)
      this.#updateId = updateId
    }
    const found = wrong ?? this.#wrong()
    if (found !== undefined) this.forget()
    return found
  }

  #wrong(): string | undefined {
    const [bid] = this.#bids
    const [ask] = this.#asks
    if (ask?.atoms === 0n || this.#bids.at(-1)?.atoms === 0n) return 'a price is zero'
    return bid && ask && bid.atoms >= ask.atoms ? 'the best bid is not below the best ask' : undefined
  }
}

function entry([price, amount]: readonly [string, string]): Entry {
  return { price, amount, atoms: parseAtoms(price) }
}

/** Strictly from the best price on, and every level with something in it. */
function inOrder(entries: readonly Entry[], rising: boolean): boolean {
  return entries.every(({ atoms, amount }, index) => {
    const before = entries[index - 1]
    const follows = before === undefined || (rising ? before.atoms < atoms : before.atoms > atoms)
    return follows && !isZero(amount)
  })
}

/** As far as both go: the venue need not show as many levels as were kept. */
function alike(one: readonly Entry[], other: readonly Entry[]): boolean {
  return one.every(({ atoms, amount }, index) => {
    const twin = other[index]
    return twin === undefined || (twin.atoms === atoms && twin.amount === amount)
  })
}

function put(entries: Entry[], level: Entry, rising: boolean): void {
  const place = firstIndex(0, entries.length, (index) => {
    const { atoms } = entries[index]!
    return rising ? atoms >= level.atoms : atoms <= level.atoms
  })
  const known = entries[place]?.atoms === level.atoms
  if (isZero(level.amount)) {
    if (known) entries.splice(place, 1)
  } else entries.splice(place, known ? 1 : 0, level)
}

function isZero(amount: string): boolean {
  return /^0(?:\.0+)?$/.test(amount)
}

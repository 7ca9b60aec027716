import { emptySide, shownLevels, type BookSide } from '#src/exchange/trading/book/levels.ts'
import type { OrderBook } from '#src/exchange/trading/book/book.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { update, type UpdateOf } from './channel.ts'

type DepthUpdate = UpdateOf<'depth'>[1]
type Level = [price: string, amount: string]

/**
 * The view of all subscribers with the same market, limit and step: the levels sent last, and the update from them to
 * the current ones. All these subscribers have received the same texts, so one text serves them all.
 */
export class DepthView {
  readonly #book: OrderBook
  readonly #market: Market
  readonly #step: number
  #bids: BookSide
  #asks: BookSide
  /** The buffer for the next comparison; the two buffers swap if there is a difference. */
  #spare: BookSide
  /** The update id of the levels above; `#checkedUpdateId` is the newest update that did not change them. */
  #updateId: number
  #checkedUpdateId: number

  constructor(book: OrderBook, market: Market, limit: number, step: number) {
    this.#book = book
    this.#market = market
    this.#step = step
    this.#bids = shownLevels(book, false, step, emptySide(limit))
    this.#asks = shownLevels(book, true, step, emptySide(limit))
    this.#spare = emptySide(limit)
    this.#updateId = book.updateId
    this.#checkedUpdateId = book.updateId
  }

  /** A full snapshot of the levels sent last. */
  snapshot(now: number): string {
    return this.#frame(true, this.levels(now))
  }

  levels(now: number): DepthUpdate {
    return {
      timestamp: now / 1000,
      update_id: this.#updateId,
      asks: this.#levelsOf(this.#asks),
      bids: this.#levelsOf(this.#bids),
      event_time: now / 1000,
    }
  }

  /** The changes since the last update; undefined if the view has not changed. */
  delta(now: number): string | undefined {
    const { updateId } = this.#book
    if (updateId === this.#checkedUpdateId) return undefined
    this.#checkedUpdateId = updateId
    const asks = this.#changes(true)
    const bids = this.#changes(false)
    if (asks === undefined && bids === undefined) return undefined
    const past = this.#updateId
    this.#updateId = updateId
    return this.#frame(false, {
      timestamp: now / 1000,
      update_id: updateId,
      past_update_id: past,
      asks,
      bids,
      event_time: now / 1000,
    })
  }

  /** A snapshot after a long time without changes: the same levels with the newest update id. */
  keepAlive(now: number): string {
    this.#updateId = this.#checkedUpdateId
    return this.snapshot(now)
  }

  #changes(sells: boolean): Level[] | undefined {
    const before = sells ? this.#asks : this.#bids
    const after = shownLevels(this.#book, sells, this.#step, this.#spare)
    const changed: Level[] = []
    let old = 0
    for (let index = 0; index < after.count || old < before.count;) {
      const was = old < before.count ? (before.ticks[old] ?? 0) : undefined
      const is = index < after.count ? (after.ticks[index] ?? 0) : undefined
      if (was === is) {
        if (before.lots[old] !== after.lots[index]) changed.push(this.#level(after, index))
        old += 1
        index += 1
      } else if (is === undefined || (was !== undefined && (sells ? was < is : was > is))) {
        changed.push([this.#market.priceText(was ?? 0), '0'])
        old += 1
      } else {
        changed.push(this.#level(after, index))
        index += 1
      }
    }
    if (changed.length === 0) return undefined
    this.#spare = before
    if (sells) this.#asks = after
    else this.#bids = after
    return changed
  }

  #levelsOf(side: BookSide): Level[] {
    return Array.from({ length: side.count }, (_, index) => this.#level(side, index))
  }

  #level({ ticks, lots }: BookSide, index: number): Level {
    return [this.#market.priceText(ticks[index] ?? 0), this.#market.amountText(lots[index] ?? 0)]
  }

  #frame(whole: boolean, levels: DepthUpdate): string {
    return update('depth', [whole, levels, this.#market.name])
  }
}

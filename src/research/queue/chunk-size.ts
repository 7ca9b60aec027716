/** A crash loses one chunk: short is better. */
const wantedMs = 1500
/** When the backtests of a chunk take longer than expected, the rest goes back to the queue. */
const mostMs = 5000
const backtestsMost = 500
/**
 * A chunk is at most this share of the backtests that wait. So the last chunks of a sweep become smaller, and up to about half
 * as many workers end at nearly the same time.
 */
const leastChunks = 8

/** How many backtests a worker takes at once, from the time that they took before. */
export class ChunkSize {
  backtests = 1

  /** More backtests need not be counted. */
  get countMost(): number {
    return leastChunks * this.backtests
  }

  /** The size of the next chunk while so many backtests wait. */
  of(waiting: number): number {
    return Math.min(this.backtests, Math.ceil(waiting / leastChunks))
  }

  isOver(ms: number): boolean {
    return ms >= mostMs
  }

  measure(backtests: number, ms: number): void {
    if (backtests === 0) return
    this.backtests = Math.min(
      backtestsMost,
      Math.max(1, Math.floor((wantedMs * backtests) / Math.max(1, ms))),
    )
  }
}

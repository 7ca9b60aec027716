/** A crash loses one chunk, and the last chunks of a sweep leave other workers without work: short is better. */
const wantedMs = 1500
/** When the backtests of a chunk take longer than expected, the rest goes back to the queue. */
const mostMs = 5000
const backtestsMost = 500

/** How many backtests a worker takes at once, from the time that they took before. */
export class ChunkSize {
  backtests = 1

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

import { parentPort, workerData } from 'node:worker_threads'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { ErrorCode } from '#src/core/errors/error-catalogue.ts'
import { loadMarket, type MarketColumns } from './load-market.ts'

/** The result for a file: its market, or the error. */
export type Loaded = { path: string } & (
  | { columns: MarketColumns }
  | { refused: { code: ErrorCode; seen: string; fix: string } }
)

/** The worker that loads markets, one after the other, so that each of them sees how much memory the others have left. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- load-in-worker.ts has started this thread with it
const paths = workerData as readonly string[]

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin, windows do
for (const path of paths) parentPort?.postMessage(loadedOf(path))

/** An unexpected error ends the thread, and is reported as its cause. */
function loadedOf(path: string): Loaded {
  try {
    return { path, columns: loadMarket(path) }
  } catch (error) {
    if (!(error instanceof BotError)) throw error
    const { code, seen, fix } = error
    return { path, refused: { code, seen, fix } }
  }
}

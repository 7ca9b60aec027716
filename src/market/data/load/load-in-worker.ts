import { Worker } from 'node:worker_threads'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { MarketColumns } from './load-market.ts'
import type { Loaded } from './load-worker.ts'

/**
 * Starts to load markets in another thread, and returns a function that waits for one of them. A caller that does not
 * need the markets may exit without waiting; it then receives no load errors.
 */
export function loadInWorker(paths: readonly string[]): (path: string) => Promise<MarketColumns> {
  const worker = new Worker(new URL(import.meta.resolve('#src/market/data/load/load-worker.ts')), {
    workerData: paths,
  })
  const outcomes = new Map(paths.map((path) => [path, Promise.withResolvers<Loaded | { broken: unknown }>()]))
  worker.on('message', (loaded: Loaded) => outcomes.get(loaded.path)?.resolve(loaded))
  let broken: unknown
  worker.once('error', (error) => {
    broken = error
  })
  // The error can arrive before messages that were sent earlier; the end of the thread arrives after all of them.
  worker.once('exit', () => {
    for (const { resolve } of outcomes.values()) resolve({ broken })
  })
  // After the listeners: adding a listener would keep the process alive again.
  worker.unref()
  return async (path) => {
    worker.ref()
    const outcome = await outcomes.get(path)?.promise
    if (outcome === undefined) throw new RangeError(`${path} was not requested`)
    if ('columns' in outcome) return outcome.columns
    if ('refused' in outcome) throw new BotError(outcome.refused.code, outcome.refused)
    throw outcome.broken
  }
}

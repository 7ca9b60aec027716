import { hash } from 'node:crypto'

/** Replaces Math.random with a sequence that depends only on the seed. */
export function seededRandom(seed: string): () => number {
  let count = 0
  return () => {
    count += 1
    return Number.parseInt(hash('sha256', `${seed} ${count}`).slice(0, 12), 16) / 2 ** 48
  }
}

import { hash } from 'node:crypto'

/** In the place of Math.random: the same with each run of the same seed. It is asked for a pause now and then. */
export function seededRandom(seed: string): () => number {
  let count = 0
  return () => {
    count += 1
    return Number.parseInt(hash('sha256', `${seed} ${count}`).slice(0, 12), 16) / 2 ** 48
  }
}

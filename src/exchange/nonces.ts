import { nonceWindowMs } from '#src/contract/envelope.ts'
import type { State } from './state.ts'

/** Which nonces of a key are used: the last of those that rise, and every one inside the window. */

export function lastNonce(state: State, key: string): bigint {
  return state.nonces.get(key)?.last ?? 0n
}

export function windowProblem(
  state: State,
  key: string,
  nonce: string,
  now: number,
): false | 'outside' | 'used' {
  const at = Number(nonce)
  if (Math.abs(at - now) > nonceWindowMs) return 'outside'
  return state.nonces
    .get(key)
    ?.recent.get(Math.floor(at / 1000))
    ?.has(at)
    ? 'used'
    : false
}

/** Inside the window a nonce is remembered until it could no longer be replayed. */
export function useNonce(state: State, key: string, nonce: string, window: boolean, now: number): void {
  const found = state.nonces.get(key) ?? { last: 0n, recent: new Map<number, Set<number>>() }
  state.nonces.set(key, found)
  if (!window) {
    found.last = BigInt(nonce)
    return
  }
  const at = Number(nonce)
  const second = Math.floor(at / 1000)
  const used = found.recent.get(second)
  if (used) used.add(at)
  else {
    found.recent.set(second, new Set([at]))
    for (const old of found.recent.keys()) {
      if ((old + 1) * 1000 < now - nonceWindowMs) found.recent.delete(old)
    }
  }
}

import { nonceWindowMs } from '#src/venues/whitebit/contract/wire/envelope.ts'
import type { ExchangeState } from '#src/exchange/state.ts'

/**
 * Which nonces of a key are used: the last of those that rise, and every one near the present, in whichever way it
 * came: none counts twice.
 */

export function nonceProblem(
  state: ExchangeState,
  key: string,
  nonce: string,
  window: boolean,
  now: number,
): 'used' | 'outside' | undefined {
  const at = Number(nonce)
  if (window && Math.abs(at - now) > nonceWindowMs) return 'outside'
  const known = state.nonces.get(key)
  if (known === undefined) return undefined
  const isTooLow = window ? BigInt(nonce) === known.last : BigInt(nonce) <= known.last
  return isTooLow || known.recent.get(Math.floor(at / 1000))?.has(at) ? 'used' : undefined
}

/** Inside the window a nonce is remembered until it could no longer be replayed. */
export function useNonce(
  state: ExchangeState,
  key: string,
  nonce: string,
  window: boolean,
  now: number,
): void {
  const found = state.nonces.get(key) ?? { last: 0n, recent: new Map<number, Set<number>>() }
  state.nonces.set(key, found)
  if (!window) found.last = BigInt(nonce)
  const at = Number(nonce)
  if (Math.abs(at - now) > nonceWindowMs) return
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

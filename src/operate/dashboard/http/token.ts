import { createHmac } from 'node:crypto'
import { isSame } from '#src/venues/whitebit/contract/wire/signing.ts'

const noncePattern = /^[\w-]{22,64}$/

/**
 * Proves to a client that this listener knows the token, before the client sends it: another program may have taken the
 * port. The port is part of the proof, so such a program cannot pass on the proof of a bot that listens elsewhere.
 * Undefined for a nonce that could repeat.
 */
export function proofOf(token: string, port: number, nonce: string): string | undefined {
  if (!noncePattern.test(nonce)) return undefined
  return createHmac('sha256', token).update(`rungs listener ${port} ${nonce}`).digest('hex')
}

/** Whether a request carries the token. */
export function hasToken(authorization: string | undefined, token: string): boolean {
  return isSame(authorization ?? '', `Bearer ${token}`)
}

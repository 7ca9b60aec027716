/** What wraps the parameters of every private call (spec §1): the endpoint's path and the nonce. */
export type Envelope = { request: string; nonce: string; nonceWindow?: true }

/** How far a nonce may lie from the venue's clock when the call asks for the window (assumptions.nonces). */
export const nonceWindowMs = 5000

/** The largest nonce that both sides can hold: 2^63 - 1. */
const nonceMax = 9_223_372_036_854_775_807n

/** A nonce in its one spelling: digits, no sign, no leading zero. */
export function isNonceText(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && (text.length < 19 || BigInt(text) <= nonceMax)
}

/** What a web page cannot send to another origin without asking first. */
export function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(type.trim())
}

/** The bytes of a call, serialised once: these are signed, and these are sent. */
export function serialise(envelope: Envelope, parameters: Record<string, unknown>): Buffer {
  return Buffer.from(JSON.stringify({ ...parameters, ...envelope }))
}

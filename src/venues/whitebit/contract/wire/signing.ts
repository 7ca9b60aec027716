import { createHmac, createSecretKey, timingSafeEqual, type Hmac, type KeyObject } from 'node:crypto'
import { secretForms, type SecretForm } from './secret-forms.ts'

/** Signing and verifying, one rule for both sides (spec §5; the key is an assumption, see assumptions.ts). */
export const keyHeader = 'x-txc-apikey'
export const payloadHeader = 'x-txc-payload'
export const signatureHeader = 'x-txc-signature'

/** An API secret: it signs, and removes itself from texts. In logs and JSON it appears as `[secret]`. */
export class Secret {
  readonly #key: KeyObject
  /** Made when a text is first looked through: an exchange knows many secrets and logs none. */
  #forms: SecretForm[] | undefined
  /** For the next signature. */
  #ready: Hmac | undefined

  constructor(text: string) {
    this.#key = createSecretKey(text, 'utf8')
  }

  /** HMAC-SHA512 of the payload header's text, as lower-case hex. */
  sign(payload: string): string {
    const hmac = this.#ready ?? createHmac('sha512', this.#key)
    this.#ready = undefined
    return hmac.update(payload).digest('hex')
  }

  /** Half of the next signature, made while nobody waits for it. */
  prepare(): void {
    this.#ready ??= createHmac('sha512', this.#key)
  }

  /** Takes the same time for every wrong signature of the right length. */
  verifies(payload: string, signature: string): boolean {
    const expected = createHmac('sha512', this.#key).update(payload).digest()
    if (!/^[0-9a-f]{128}$/i.test(signature)) return false
    return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
  }

  /** The text without this secret, in whatever form it stands there. */
  hiddenIn(text: string): string {
    this.#forms ??= secretForms(this.#key.export().toString())
    let hidden = text
    // Nearly all texts hold none of them.
    for (const form of this.#forms) {
      if (hidden.includes(form.core)) hidden = hidden.replaceAll(form.pattern, form.mask)
    }
    return hidden
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]'
  }
}

/** Takes the same time for every wrong text of the right length. */
export function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** API key and secret. */
export type Credentials = { key: string; secret: Secret }
/** API key, and what signs for it: usually a `Secret`. */
export type Signer = { key: string; secret: Pick<Secret, 'sign'> & Partial<Pick<Secret, 'prepare'>> }

/** The headers of a signed call for exactly these bytes: what is signed is what is sent. */
export function signedHeaders(credentials: Signer, body: Buffer): Record<string, string> {
  const payload = body.toString('base64')
  return {
    'content-type': 'application/json',
    [keyHeader]: credentials.key,
    [payloadHeader]: payload,
    [signatureHeader]: credentials.secret.sign(payload),
  }
}

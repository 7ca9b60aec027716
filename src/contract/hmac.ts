import { hash, type KeyObject } from 'node:crypto'

const blockBytes = 128
const [inside, outside] = [0x36, 0x5c]

/**
 * HMAC-SHA512 (RFC 2104) of texts under one key. Node looks its digest up anew for each Hmac object, which costs more than
 * to hash a bulk; in one shot it does not. What depends on the key alone is computed once.
 */
export class Hmac {
  readonly #inner: Buffer
  readonly #outer: Buffer

  constructor(key: KeyObject) {
    const secret = key.export()
    const block = Buffer.alloc(blockBytes)
    block.set(secret.length > blockBytes ? hash('sha512', secret, 'buffer') : secret)
    this.#inner = Buffer.from(block.map((byte) => byte ^ inside))
    this.#outer = Buffer.from(block.map((byte) => byte ^ outside))
  }

  digest(text: string): Buffer {
    const inner = hash('sha512', Buffer.concat([this.#inner, Buffer.from(text)]), 'buffer')
    return hash('sha512', Buffer.concat([this.#outer, inner]), 'buffer')
  }
}

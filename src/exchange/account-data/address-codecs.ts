import { createHash } from 'node:crypto'

/** The two text codecs of crypto addresses (base58check and bech32), as far as the check of an address needs them. */
const base58Letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export function base58Encode(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = base58Letters.charAt(Number(value % 58n)) + text
  for (const byte of bytes) {
    if (byte !== 0) break
    text = `1${text}`
  }
  return text
}

export function base58Decode(text: string): Uint8Array | undefined {
  if (text.length > 64) return undefined
  let value = 0n
  for (const letter of text) {
    const digit = base58Letters.indexOf(letter)
    if (digit === -1) return undefined
    value = value * 58n + BigInt(digit)
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const hex = value === 0n ? '' : value.toString(16)
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')])
}

export function base58Check(body: Uint8Array): string {
  return base58Encode(Buffer.concat([body, sha256(sha256(body)).subarray(0, 4)]))
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

const bech32Letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
const constants = { bech32: 1, bech32m: 0x2bc830a3 } as const

/** The bytes as groups of five bits, padded with zeros. */
export function bech32Words(bytes: Uint8Array): number[] {
  const words: number[] = []
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) words.push((buffer >> (bits - 5)) & 31)
  }
  if (bits > 0) words.push((buffer << (5 - bits)) & 31)
  return words
}

export function bech32Encode(prefix: string, words: readonly number[]): string {
  const checksum = polymod([...expanded(prefix), ...words, 0, 0, 0, 0, 0, 0]) ^ constants.bech32
  const tail = Array.from({ length: 6 }, (_, index) => (checksum >> (5 * (5 - index))) & 31)
  return `${prefix}1${[...words, ...tail].map((word) => bech32Letters.charAt(word)).join('')}`
}

export function bech32Decode(
  text: string,
): { prefix: string; words: number[]; kind: keyof typeof constants } | undefined {
  const lower = text.toLowerCase()
  const split = lower.lastIndexOf('1')
  if ((lower !== text && text.toUpperCase() !== text) || text.length > 1024 || split < 1) return undefined
  const prefix = lower.slice(0, split)
  const words = Array.from(lower.slice(split + 1), (letter) => bech32Letters.indexOf(letter))
  if (words.length < 6 || words.includes(-1)) return undefined
  const check = polymod([...expanded(prefix), ...words])
  const kind = check === constants.bech32 ? 'bech32' : check === constants.bech32m ? 'bech32m' : undefined
  return kind && { prefix, words: words.slice(0, -6), kind }
}

function expanded(prefix: string): number[] {
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0))
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
}

function polymod(words: readonly number[]): number {
  let check = 1
  for (const word of words) {
    const top = check >> 25
    check = ((check & 0x1ffffff) << 5) ^ word
    for (const [bit, generator] of generators.entries()) {
      if ((top >> bit) & 1) check ^= generator
    }
  }
  return check
}

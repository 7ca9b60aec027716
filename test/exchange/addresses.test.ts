import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  base58Decode,
  base58Encode,
  bech32Decode,
  bech32Encode,
  bech32Words,
} from '#src/exchange/account-data/address-codecs.ts'
import { addressOf, isAddress } from '#src/exchange/account-data/deposit-addresses.ts'
import { networks } from '#src/exchange/account-data/networks.ts'
import { runs } from '../properties/runs.ts'

/** From BIP 173 and BIP 350, addresses of the main network. */
const segwit = [
  'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
  'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
  'BC1SW50QGDZ25J',
  'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
  'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
]
const notSegwit = [
  ['another prefix', 'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut'],
  ['the test network', 'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7'],
  ['version 1 under the old checksum', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
  ['version 0 under the new checksum', 'bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj1'],
  ['a wrong checksum', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
  ['version 17', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
  ['a program of one byte', 'bc1pw5dgrnzv'],
  ['a program of 41 bytes', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav'],
  ['version 0 with sixteen bytes', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
  ['both cases', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4'],
  ['more than four bits of padding', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
  ['padding that is not zero', 'bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du'],
  ['no data', 'bc1gmk9yu'],
] as const

test.each(segwit)('%s is a Bitcoin address', (text) => {
  expect(isAddress(text, 'BTC')).toBe(true)
})

test.each(notSegwit)('%s is not a Bitcoin address', (_, text) => {
  expect(isAddress(text, 'BTC')).toBe(false)
})

test.each([
  ['the first address of all', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', true],
  ['a script hash', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', true],
  ['a wrong checksum', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb', false],
  ['a letter that is none', '1A1zP1eP5QGefi2DMPTfTL5SLmv7Div0Na', false],
  ['the test network', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', false],
  ['nothing', '', false],
  ['ones alone', '1111111111111111111114oLvT2', true],
])('%s: base58check accepts the right checksum and refuses a wrong one', (_, text, valid) => {
  expect(isAddress(text, 'BTC')).toBe(valid)
})

test('base58 keeps every byte, leading zeros included', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(base58Decode(base58Encode(bytes))).toEqual(Buffer.from(bytes))
    }),
    runs(1000, 50_000),
  )
})

test('bech32 decodes to the encoded bytes, and always detects one changed letter', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(), (bytes, place, other) => {
      const words = bech32Words(bytes)
      const text = bech32Encode('bc', words)
      expect(bech32Decode(text)).toEqual({ prefix: 'bc', words, kind: 'bech32' })
      const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
      const at = 3 + (place % (text.length - 3))
      const letter = letters[other % 32] ?? 'q'
      const changed = text.slice(0, at) + letter + text.slice(at + 1)
      expect(bech32Decode(changed)?.kind === 'bech32').toBe(letter === text[at])
    }),
    runs(1000, 50_000),
  )
})

test('each generated address is valid in its own network and in no other', () => {
  for (let index = 0; index < 200; index++) {
    for (const network of networks) {
      const address = addressOf(`account ${index}`, network)
      expect([address, networks.filter((other) => isAddress(address, other))]).toEqual([address, [network]])
    }
  }
})

test('accounts have different addresses, and each always the same one', () => {
  const all = networks.flatMap((network) =>
    ['paper', 'rival', 'reader'].map((name) => addressOf(name, network)),
  )
  expect(new Set(all).size).toBe(all.length)
  expect(networks.map((network) => addressOf('paper', network))).toEqual(
    networks.map((network) => addressOf('paper', network)),
  )
})

test('the address check accepts any text and never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary', maxLength: 2000 }), fc.stringMatching(/^[1-9A-Za-z]{0,120}$/)),
      (text) => {
        for (const network of networks) expect(typeof isAddress(text, network)).toBe('boolean')
      },
    ),
    runs(1000, 50_000),
  )
})

test('a text with a made-up checksum is not an address', () => {
  const lucky = Array.from({ length: 5000 }, (_, index) =>
    createHash('sha256').update(String(index)).digest(),
  )
  expect(lucky.filter((bytes) => isAddress(base58Encode(bytes.subarray(0, 25)), 'BTC'))).toEqual([])
})

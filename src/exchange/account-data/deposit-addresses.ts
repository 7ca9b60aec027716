import { createHash } from 'node:crypto'
import {
  base58Check,
  base58Decode,
  base58Encode,
  bech32Encode,
  bech32Decode,
  bech32Words,
} from './address-codecs.ts'
import { networks, type Network } from './networks.ts'

/** Addresses of the networks of the world: which texts are valid addresses, and which belong to this exchange. */
export function isNetwork(name: string): name is Network {
  return networks.some((network) => network === name)
}

const tronVersion = 0x41
/** Mainnet pay-to-key-hash and pay-to-script-hash. */
const bitcoinVersions = new Set([0x00, 0x05])

/** Checks the form, and the checksum where it needs neither an elliptic curve nor Keccak. */
export function isAddress(text: string, network: Network): boolean {
  switch (network) {
    case 'BTC':
      return isSegwit(text) || bitcoinVersions.has(versionOf(text))
    case 'LN':
      return bech32Decode(text)?.prefix.startsWith('lnbc') ?? false
    case 'ERC20':
      return /^0x[0-9a-fA-F]{40}$/.test(text)
    case 'TRC20':
      return versionOf(text) === tronVersion
    case 'SOL':
      return base58Decode(text)?.length === 32
  }
}

/** The version byte of a 20-byte hash in base58check, or -1. */
function versionOf(text: string): number {
  const bytes = base58Decode(text)
  if (bytes?.length !== 25) return -1
  const body = bytes.subarray(0, 21)
  return base58Check(body) === text ? (body[0] ?? -1) : -1
}

/** Version 0 carries 20 or 32 bytes under bech32, versions 1 to 16 carry 2 to 40 under bech32m (BIP 173, 350). */
function isSegwit(text: string): boolean {
  const decoded = bech32Decode(text)
  if (decoded?.prefix !== 'bc' || decoded.words.length === 0 || text.length > 90) return false
  const [version = 17, ...words] = decoded.words
  const bits = words.length * 5
  const size = Math.floor(bits / 8)
  const padding = bits - size * 8
  if (padding > 4 || ((words.at(-1) ?? 0) & ((1 << padding) - 1)) !== 0) return false
  if (version === 0) return decoded.kind === 'bech32' && (size === 20 || size === 32)
  return version <= 16 && decoded.kind === 'bech32m' && size >= 2 && size <= 40
}

/** The deposit address of an account. It is a function of account and network, so two accounts never share one. */
export function addressOf(account: string, network: Network): string {
  const hash = createHash('sha256').update(`deposit address of ${account} on ${network}`).digest()
  const short = hash.subarray(0, 20)
  switch (network) {
    case 'BTC':
      return bech32Encode('bc', [0, ...bech32Words(short)])
    case 'LN':
      return bech32Encode('lnbc', bech32Words(hash))
    case 'ERC20':
      return `0x${short.toString('hex')}`
    case 'TRC20':
      return base58Check(Buffer.concat([Buffer.from([tronVersion]), short]))
    case 'SOL':
      return base58Encode(hash)
  }
}

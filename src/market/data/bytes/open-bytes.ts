import { closeSync, readSync } from 'node:fs'
import { beginsWith, openFile, firstBytesOf, type Bytes } from './bytes.ts'
import { badMarket } from '#src/market/data/market-file-error.ts'
import { decompressedBytes } from './compressed-bytes.ts'

const packings = [
  { form: 'gzip', mark: [0x1f, 0x8b] },
  { form: 'zstd', mark: [0x28, 0xb5, 0x2f, 0xfd] },
  { form: 'unzip', mark: [0x50, 0x4b, 0x03, 0x04] },
  { form: 'bunzip2', mark: [0x42, 0x5a, 0x68] },
  { form: 'unxz', mark: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
] as const

/** The content of a file, decompressed if necessary. */
export function openBytes(path: string): Bytes {
  const start = firstBytesOf(path)
  const form = packings.find(({ mark }) => beginsWith(start, Uint8Array.from(mark)))?.form
  if (form === 'gzip' || form === 'zstd') return decompressedBytes(path, form)
  if (form !== undefined)
    throw badMarket(path, 'is compressed in another format than gzip or zstd', `Decompress it with ${form}`)
  const { handle } = openFile(path)
  return {
    read: (into, start) => readSync(handle, into, start, into.length - start, null),
    close: () => closeSync(handle),
  }
}

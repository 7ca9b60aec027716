import { closeSync, readSync } from 'node:fs'
import { beginsWith, openFile, firstBytesOf, type Bytes } from './bytes.ts'
import { badMarket } from '#src/market/data/market-file-error.ts'
import { decompressedBytes } from './compressed-bytes.ts'

const packings = [
  { form: 'gzip', mark: [0x1f, 0x8b] },
  { form: 'zstd', mark: [0x28, 0xb5, 0x2f, 0xfd] },
  { form: 'zip', mark: [0x50, 0x4b, 0x03, 0x04] },
  { form: 'parquet', mark: [0x50, 0x41, 0x52, 0x31] },
  { form: 'bunzip2', mark: [0x42, 0x5a, 0x68] },
  { form: 'unxz', mark: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
] as const

/** Tables of other programs, which are not read. */
const tables = [
  { name: 'Feather', mark: 'FEA1' },
  { name: 'Feather (Arrow)', mark: 'ARROW1' },
]

/** The content of a file, decompressed if necessary. */
export function openBytes(path: string): Bytes {
  const start = firstBytesOf(path)
  const form = packings.find(({ mark }) => beginsWith(start, Uint8Array.from(mark)))?.form
  if (form === 'gzip' || form === 'zstd' || form === 'zip' || form === 'parquet')
    return decompressedBytes(path, form)
  if (form !== undefined)
    throw badMarket(
      path,
      'is compressed in another format than gzip, zstd or zip',
      `Decompress it with ${form}`,
    )
  const table = tables.find(({ mark }) => beginsWith(start, Buffer.from(mark)))
  if (table !== undefined) {
    const fix =
      'Write it as Parquet or CSV, for example with pandas: read_feather, then to_parquet or to_csv(index=False)'
    throw badMarket(path, `is a ${table.name} file`, fix)
  }
  const { handle } = openFile(path)
  return {
    read: (into, start) => readSync(handle, into, start, into.length - start, null),
    close: () => closeSync(handle),
  }
}

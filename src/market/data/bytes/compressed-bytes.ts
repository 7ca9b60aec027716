import { readFileSync } from 'node:fs'
import { gunzipSync, inflateRawSync, zstdDecompressSync } from 'node:zlib'
import type { Bytes } from './bytes.ts'
import { isConfined } from '#src/core/disk/atomic-write.ts'
import { badMarket } from '#src/market/data/market-file-error.ts'
import { DecompressThread } from './decompress-thread.ts'
import type { PackedFile } from './decompress-worker.ts'
import { zipEntryOf, type ZipEntry } from './zip-entry.ts'

type Packing = PackedFile['form']

/** The bytes of a compressed file, decompressed by another thread on demand. */
export function decompressedBytes(path: string, form: Packing): Bytes {
  const entry = form === 'zip' ? zipEntryOf(path) : undefined
  if (isConfined && form === 'parquet')
    throw badMarket(
      path,
      'is a Parquet file, which a bot that trades does not read',
      'Convert it: rungs market FILE --write NAME.csv',
    )
  if (isConfined) return decompressedAtOnce(path, form, entry)
  return DecompressThread.bytesOf({ path, form, entry }, (reason) => brokenOff(path, form, reason))
}

/** The process that trades is confined and may not start threads. Its price file fits in memory. */
function decompressedAtOnce(path: string, form: Packing, entry: ZipEntry | undefined): Bytes {
  let rest: Buffer
  try {
    const bytes = readFileSync(path).subarray(entry?.start, entry?.end)
    if (entry) rest = entry.isPacked ? inflateRawSync(bytes) : bytes
    else rest = (form === 'gzip' ? gunzipSync : zstdDecompressSync)(bytes)
  } catch (error) {
    throw brokenOff(path, form, error instanceof Error ? error.message : String(error))
  }
  function read(into: Uint8Array, start: number): number {
    const bytes = rest.subarray(0, into.length - start)
    into.set(bytes, start)
    rest = rest.subarray(bytes.length)
    return bytes.length
  }
  return { read, close: () => {} }
}

function brokenOff(path: string, form: Packing, reason: string): Error {
  if (form === 'parquet')
    return badMarket(
      path,
      `cannot be read as Parquet: ${reason}`,
      'Download it again, or write it with compression zstd',
    )
  return badMarket(
    path,
    `cannot be decompressed completely: ${reason} (${form})`,
    'Download or compress it again',
  )
}

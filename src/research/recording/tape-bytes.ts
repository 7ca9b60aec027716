import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { constants, zstdDecompressSync } from 'node:zlib'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/core/errors/system-errors.ts'

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** Decompressed size; a tape is read into memory. */
const unpackedMax = 2 ** 31
/**
 * The hash of each line cannot be compressed, so no tape has this compression ratio. A file with a higher one is refused
 * before it fills the memory, unless it is small.
 */
const compressionMax = 200
const smallBytesMax = 2 ** 26
/** Memory for decompression as a power of two: enough for `zstd --ultra -22`. */
const windowLogMax = 27
/** Contains the first compressed block, which has at most 128 KiB. */
const beginBytes = 2 ** 18
/** Compressed bytes that are tried first; doubled until they give output. */
const firstBytes = 2 ** 12
const firstUnpackedMax = 2 ** 24

/** Reads a file and decompresses it if necessary. */
export function tapeBytes(path: string): Buffer {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw new BotError('FILE_UNREADABLE', { seen: `${path}${codeBehind(cause)}`, cause })
  }
  if (!isPacked(bytes)) return bytes
  const most = Math.min(unpackedMax, Math.max(smallBytesMax, compressionMax * bytes.length))
  try {
    return unpacked(bytes, most)
  } catch (cause) {
    const why =
      systemCode(cause) === 'ERR_BUFFER_TOO_LARGE'
        ? `has more than ${most / 2 ** 20} MiB when decompressed`
        : 'is damaged and cannot be decompressed'
    throw new BotError('TAPE_INVALID', { seen: `${path} ${why}`, cause })
  }
}

/** Decompresses as much as a truncated file contains. */
function unpacked(bytes: Uint8Array, most: number): Buffer {
  return zstdDecompressSync(bytes, {
    maxOutputLength: most,
    finishFlush: constants.ZSTD_e_flush,
    params: { [constants.ZSTD_d_windowLogMax]: windowLogMax },
  })
}

/** Start of a tape, a HAR file or snapshots. Market files start differently. */
const beginning = /^\uFEFF?\s*(?:\{\s*"(?:kind|log)"|\[\s*\{\s*"(?:hash|snapshot)")/

/** Whether a file starts like a tape, or a recording of another program. */
export function beginsLikeTape(path: string): boolean {
  try {
    const bytes = beginOf(path)
    return beginning.test((isPacked(bytes) ? firstOf(bytes) : bytes).toString('utf8', 0, 256))
  } catch {
    // Reading it as another kind of file reports the error.
    return false
  }
}

/** Decompresses few blocks, since a block of four bytes may contain 128 KiB. */
function firstOf(bytes: Buffer): Buffer {
  for (let taken = firstBytes; ; taken *= 2) {
    const first = unpacked(bytes.subarray(0, taken), firstUnpackedMax)
    if (first.length > 0 || taken >= bytes.length) return first
  }
}

function beginOf(path: string): Buffer {
  const begin = Buffer.alloc(beginBytes)
  const file = openSync(path, 'r')
  try {
    return begin.subarray(0, readSync(file, begin))
  } finally {
    closeSync(file)
  }
}

function isPacked(bytes: Buffer): boolean {
  return zstdMagic.equals(bytes.subarray(0, zstdMagic.length))
}

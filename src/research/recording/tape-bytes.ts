import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { constants, zstdDecompressSync } from 'node:zlib'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/core/errors/system-errors.ts'

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** Unpacked. They are read at once. */
const bytesMax = 2 ** 31
/**
 * Each line of a tape has a hash, which cannot be packed. So no tape becomes that many times as large when it is unpacked, and a
 * file that does is refused before it fills the memory. Up to the second number, no file is too large.
 */
const growthMax = 200
const smallBytesMax = 2 ** 26
/** As much memory a file may ask for, as a power of two: what `zstd --ultra -22` needs. */
const windowLogMax = 27
/** Holds the first block of what is packed, which has 128 KiB at most. */
const beginBytes = 2 ** 18
/** Read first; doubled while the bytes unpack to nothing. */
const firstBytes = 2 ** 12
const firstUnpackedMax = 2 ** 24

/** Of a file, packed or not. */
export function tapeBytes(path: string): Buffer {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw new BotError('FILE_UNREADABLE', { seen: `${path}${codeBehind(cause)}`, cause })
  }
  if (!isPacked(bytes)) return bytes
  const most = Math.min(bytesMax, Math.max(smallBytesMax, growthMax * bytes.length))
  try {
    return unpacked(bytes, most)
  } catch (cause) {
    const why = isTooLarge(cause)
      ? `has more than ${most / 2 ** 20} MiB when decompressed`
      : 'is damaged and cannot be decompressed'
    throw new BotError('TAPE_INVALID', { seen: `${path} ${why}`, cause })
  }
}

/** Unpacks a file that was cut off up to its end; its lines say where it ends. */
function unpacked(bytes: Uint8Array, most: number): Buffer {
  return zstdDecompressSync(bytes, {
    maxOutputLength: most,
    finishFlush: constants.ZSTD_e_flush,
    params: { [constants.ZSTD_d_windowLogMax]: windowLogMax },
  })
}

function isTooLarge(error: unknown): boolean {
  return systemCode(error) === 'ERR_BUFFER_TOO_LARGE'
}

/** The first word of a tape, of a HAR file, and of snapshots; answers of a venue, which may be prices, begin otherwise. */
const beginning = /^\uFEFF?\s*(?:\{\s*"(?:kind|log)"|\[\s*\{\s*"(?:hash|snapshot)")/

/** Whether a file, packed or not, begins as a tape does, or what other recorders write. */
export function beginsLikeTape(path: string): boolean {
  try {
    const bytes = beginOf(path)
    return beginning.test((isPacked(bytes) ? firstOf(bytes) : bytes).toString('utf8', 0, 256))
  } catch {
    // Whoever reads it as something else will say why it cannot be read.
    return false
  }
}

/** What the first blocks hold: few of them, since a block of four bytes may hold 128 KiB. */
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

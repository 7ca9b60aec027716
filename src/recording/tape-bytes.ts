import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { constants, zstdDecompressSync } from 'node:zlib'
import { BotError } from '#src/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/errors/system-words.ts'

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** Unpacked. They are read at once. */
const bytesMax = 2 ** 31
/** Holds the first block of what is packed, which has 128 KiB at most. */
const beginBytes = 2 ** 18

/** Of a file, packed or not. */
export function tapeBytes(path: string): Buffer {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw new BotError('FILE_UNREADABLE', { seen: `${path}${codeBehind(cause)}`, cause })
  }
  if (!isPacked(bytes)) return bytes
  try {
    // One that was cut off is unpacked as far as it goes: where it ends, its lines say.
    return zstdDecompressSync(bytes, { maxOutputLength: bytesMax, finishFlush: constants.ZSTD_e_flush })
  } catch (cause) {
    const tooLarge = systemCode(cause) === 'ERR_BUFFER_TOO_LARGE'
    const why = tooLarge
      ? 'is larger than two gibibytes when it is unpacked'
      : 'is damaged, and cannot be unpacked'
    throw new BotError('TAPE_INVALID', { seen: `${path} ${why}`, cause })
  }
}

/** The first word of a tape, of a HAR file, and of snapshots; answers of a venue, which may be prices, begin otherwise. */
const beginning = /^\uFEFF?\s*(?:\{\s*"(?:kind|log)"|\[\s*\{\s*"(?:hash|snapshot)")/

/** Whether a file, packed or not, begins as a tape does, or what other recorders write. */
export function beginsLikeTape(path: string): boolean {
  try {
    const bytes = beginOf(path)
    // Cut off as it is, it is unpacked as far as it goes.
    const begin = isPacked(bytes) ? zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_flush }) : bytes
    return beginning.test(begin.toString('utf8', 0, 256))
  } catch {
    // Whoever reads it as something else will say why it cannot be read.
    return false
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

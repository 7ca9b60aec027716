import { closeSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { writeAll, writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { binaryMark as mark, openFile } from '#src/market/data/bytes/bytes.ts'
import { BlockReader, blockHeadBytes, BlockWriter } from './columns.ts'
import { badMarket, unwritable } from '#src/market/data/market-file-error.ts'
import type {
  FileFindings,
  HistoricalMarket,
  MarketKind,
  PointBlock,
} from '#src/market/data/historical-market.ts'

/**
 * The binary form of a market file, for files that are read often: a mark, blocks packed by `columns.ts`, the facts
 * about the whole file as JSON, and an end with the length of the JSON, which proves that the file is complete. Numbers
 * are little-endian.
 */

const endBytes = 16
const endMark = Buffer.from('RUNGSEND')
const factsMax = 1024 * 1024
const again = 'Convert it again with: rungs market FILE --write OUT'

type Facts = Pick<HistoricalMarket<MarketKind>, 'name' | 'kind' | 'levels' | 'barMs' | 'beginsAt'> & {
  seen: FileFindings
}

/** Writes a market in one pass; the file is renamed to `path` when it is complete. Returns its size in bytes. */
export function writeBinary(market: HistoricalMarket<MarketKind>, path: string): number {
  let size = 0
  try {
    writeWholeFile(path, write, { mode: 0o666 })
  } catch (error) {
    throw error instanceof BotError ? error : unwritable(path, error)
  }
  return size

  function write(file: number): void {
    size += writeAll(file, mark)
    const writer = new BlockWriter()
    for (const block of market.blocks()) size += writeAll(file, writer.pack(block))
    const { name, kind, levels, barMs, beginsAt, seen } = market
    const facts = Buffer.from(JSON.stringify({ name, kind, levels, barMs, beginsAt, seen }))
    const end = Buffer.alloc(endBytes)
    end.writeUInt32LE(facts.length, 0)
    end.writeUInt32LE(crc32(facts), 4)
    endMark.copy(end, 8)
    size += writeAll(file, facts) + writeAll(file, end)
  }
}

/** The facts at the end of the file, which exist only in a complete file. */
export function factsOf(path: string): { facts: Facts; blocksEnd: number } {
  const { handle, size } = openFile(path)
  try {
    const start = Buffer.alloc(mark.length)
    readSync(handle, start, 0, start.length, 0)
    if (!start.equals(mark)) throw badMarket(path, `has another version, ${start.toString('latin1')}`, again)
    const end = Buffer.alloc(endBytes)
    if (size >= mark.length + endBytes) readSync(handle, end, 0, endBytes, size - endBytes)
    const length = end.readUInt32LE(0)
    const blocksEnd = size - endBytes - length
    if (!end.subarray(8).equals(endMark) || length > factsMax || blocksEnd < mark.length) {
      throw badMarket(path, `is incomplete: ${size} bytes, without its end`, again)
    }
    const text = Buffer.alloc(length)
    readSync(handle, text, 0, length, blocksEnd)
    if (crc32(text) !== end.readUInt32LE(4)) throw badMarket(path, 'is damaged near its end', again)
    // The mark has checked the version and the checksum the bytes, so that no schema needs to validate this.
    const facts: Facts = JSON.parse(text.toString('utf8'))
    return { facts, blocksEnd }
  } finally {
    closeSync(handle)
  }
}

/** The blocks of the file, without those that end before `from`. */
export function* binaryBlocks(path: string, blocksEnd: number, from: number): Generator<PointBlock> {
  const { handle } = openFile(path)
  try {
    const reader = new BlockReader()
    let number = 1
    for (let position = mark.length; position < blocksEnd; number++) {
      readSync(handle, reader.bytes, 0, blockHeadBytes, position)
      const { length } = reader
      position += blockHeadBytes
      if (length === undefined) throw badMarket(path, `is damaged in block ${number}`, again)
      if (reader.lastAt >= from) {
        readSync(handle, reader.bytes, blockHeadBytes, length, position)
        const block = reader.unpack()
        if (!block) throw badMarket(path, `is damaged in block ${number}`, again)
        yield block
      }
      position += length
    }
  } finally {
    closeSync(handle)
  }
}

import { closeSync, readSync } from 'node:fs'
import { badMarket } from '#src/market/data/market-file-error.ts'
import { openFile } from './bytes.ts'

/** The one file in a zip archive: where its bytes are, and whether they are compressed. */
export type ZipEntry = { start: number; end: number; isPacked: boolean }

/** The end record, with the longest comment. */
const endBytesMax = 22 + 65_535
const endMark = 0x06_05_4b_50
const entryMark = 0x02_01_4b_50
const localBytes = 30
const [stored, deflated] = [0, 8]

/** Exchanges publish each day as an archive with one file. */
export function zipEntryOf(path: string): ZipEntry {
  const { handle, size } = openFile(path)
  const read = (from: number, length: number): Buffer => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - from)))
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, from))
  }
  try {
    const tail = read(Math.max(0, size - endBytesMax), endBytesMax)
    let place = tail.length - 22
    while (place >= 0 && tail.readUInt32LE(place) !== endMark) place -= 1
    if (place < 0) throw badMarket(path, 'is not a complete zip archive', 'Download it again')
    const entries = tail.readUInt16LE(place + 10)
    if (entries !== 1)
      throw badMarket(
        path,
        `is a zip archive with ${entries} files`,
        'Unpack it with unzip, and pass the folder',
      )
    const entry = read(tail.readUInt32LE(place + 16), 46)
    if (entry.length < 46 || entry.readUInt32LE(0) !== entryMark)
      throw badMarket(path, 'is not a complete zip archive', 'Download it again')
    const method = entry.readUInt16LE(10)
    const isEncrypted = (entry.readUInt16LE(8) & 1) === 1
    if (isEncrypted || (method !== stored && method !== deflated))
      throw badMarket(path, 'is a zip archive that only other programs can read', 'Unpack it with unzip')
    const at = entry.readUInt32LE(42)
    const local = read(at, localBytes)
    const start = at + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28)
    return { start, end: start + entry.readUInt32LE(20), isPacked: method === deflated }
  } finally {
    closeSync(handle)
  }
}

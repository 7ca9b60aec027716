import { createReadStream } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { PassThrough, Readable } from 'node:stream'
import { constants, createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib'
import type { ZipEntry } from './zip-entry.ts'

/**
 * The worker that decompresses a file. Node cannot decompress piece by piece in a synchronous caller, and the reader of
 * a market is synchronous. So this thread decompresses into slots of shared memory and fills each slot when it is free.
 */
export type DecompressJob = {
  path: string
  form: 'gzip' | 'zstd' | 'zip'
  /** The file in a zip archive. */
  entry: ZipEntry | undefined
  slots: Uint8Array[]
  /** Number of bytes in each slot; 0 if the slot is free; `ended`, or below it the length of an error text. */
  lengths: Int32Array
}

const ended = -1
/** Most memory that a file may require, as a power of two: what `zstd --ultra -22` needs. */
const windowLogMax = 27

const { path, form, entry, slots, lengths }: DecompressJob = workerData
let turn = 0

function sendSlot(bytes: Uint8Array, length = bytes.length): void {
  for (let held = Atomics.load(lengths, turn); held !== 0; held = Atomics.load(lengths, turn)) {
    Atomics.wait(lengths, turn, held)
  }
  slots[turn]?.set(bytes)
  Atomics.store(lengths, turn, length)
  Atomics.notify(lengths, turn)
  turn = (turn + 1) % slots.length
}

const room = slots[0]?.length ?? 0

function unpacker() {
  const params = { [constants.ZSTD_d_windowLogMax]: windowLogMax }
  if (form === 'gzip') return createGunzip({ chunkSize: room })
  if (form === 'zstd') return createZstdDecompress({ chunkSize: room, params })
  return entry?.isPacked === true ? createInflateRaw({ chunkSize: room }) : new PassThrough()
}

try {
  const unpacked = unpacker()
  // A stored file passes unchanged, so its pieces must fit into a slot. An empty range has no end for a stream.
  const range = entry && { start: entry.start, end: entry.end - 1 }
  const isEmpty = range !== undefined && range.end < range.start
  const packed = isEmpty ? Readable.from([]) : createReadStream(path, { highWaterMark: 64 * 1024, ...range })
  packed.on('error', (error) => unpacked.destroy(error))
  for await (const bytes of packed.pipe(unpacked)) sendSlot(bytes)
  sendSlot(new Uint8Array(0), ended)
} catch (error) {
  const text = Buffer.from(error instanceof Error ? error.message : String(error)).subarray(0, room)
  sendSlot(text, ended - text.length)
}

import { createReadStream } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PassThrough, Readable } from 'node:stream'
import { constants, createGunzip, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { ended, threadStates } from './thread-states.ts'
import type { ZipEntry } from './zip-entry.ts'

/** A compressed file, as a message to the thread that decompresses it. */
export type PackedFile = {
  path: string
  form: 'gzip' | 'zstd' | 'zip' | 'parquet'
  /** The file in a zip archive. */
  entry: ZipEntry | undefined
}

/** The memory that both threads share. */
export type SharedSlots = {
  slots: Uint8Array[]
  /** Number of bytes in each slot; 0 if the slot is free; `ended`, or below it the length of an error text. */
  lengths: Int32Array
  /** One of `threadStates`. */
  state: Int32Array
}

/** Most memory that a file may require, as a power of two: what `zstd --ultra -22` needs. */
const windowLogMax = 27

/**
 * The worker that decompresses files. Node cannot decompress piece by piece in a synchronous caller, and the reader of
 * a market is synchronous. So this thread decompresses into slots of shared memory and fills each slot when it is free.
 */
const { slots, lengths, state }: SharedSlots = workerData
const room = slots[0]?.length ?? 0
let turn = 0

/** False if the other thread needs no more bytes of this file. */
function sendSlot(bytes: Uint8Array, length = bytes.length): boolean {
  for (;;) {
    if (Atomics.load(state, 0) === threadStates.stopping) return false
    const held = Atomics.load(lengths, turn)
    if (held === 0) break
    Atomics.wait(lengths, turn, held)
  }
  slots[turn]?.set(bytes)
  Atomics.store(lengths, turn, length)
  Atomics.notify(lengths, turn)
  turn = (turn + 1) % slots.length
  return true
}

function unpackerOf({ form, entry }: PackedFile) {
  const params = { [constants.ZSTD_d_windowLogMax]: windowLogMax }
  if (form === 'gzip') return createGunzip({ chunkSize: room })
  if (form === 'zstd') return createZstdDecompress({ chunkSize: room, params })
  return entry?.isPacked === true ? createInflateRaw({ chunkSize: room }) : new PassThrough()
}

async function sendAll(file: PackedFile): Promise<boolean> {
  if (file.form === 'parquet') return sendParquet(file.path)
  const unpacked = unpackerOf(file)
  const { path, entry } = file
  // A stored file passes unchanged, so its pieces must fit into a slot. An empty range has no end for a stream.
  const range = entry && { start: entry.start, end: entry.end - 1 }
  const isEmpty = range !== undefined && range.end < range.start
  const packed = isEmpty ? Readable.from([]) : createReadStream(path, { highWaterMark: 64 * 1024, ...range })
  packed.on('error', (error) => unpacked.destroy(error))
  try {
    for await (const bytes of packed.pipe(unpacked)) if (!sendSlot(bytes)) return false
    return sendSlot(new Uint8Array(0), ended)
  } finally {
    packed.destroy()
  }
}

async function sendParquet(path: string): Promise<boolean> {
  const { csvOfParquet } = await import('./parquet-text.ts')
  for await (const bytes of csvOfParquet(path)) {
    for (let start = 0; start < bytes.length; start += room)
      if (!sendSlot(bytes.subarray(start, start + room))) return false
  }
  return sendSlot(new Uint8Array(0), ended)
}

async function decompress(file: PackedFile): Promise<void> {
  turn = 0
  try {
    await sendAll(file)
  } catch (error) {
    const text = Buffer.from(error instanceof Error ? error.message : String(error)).subarray(0, room)
    sendSlot(text, ended - text.length)
  }
  Atomics.store(state, 0, threadStates.idle)
  Atomics.notify(state, 0)
}

parentPort?.on('message', (file: PackedFile) => void decompress(file))

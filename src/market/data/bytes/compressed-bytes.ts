import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { gunzipSync, inflateRawSync, zstdDecompressSync } from 'node:zlib'
import type { Bytes } from './bytes.ts'
import { isConfined } from '#src/core/disk/atomic-write.ts'
import { badMarket } from '#src/market/data/market-file-error.ts'
import type { DecompressJob } from './decompress-worker.ts'
import { zipEntryOf, type ZipEntry } from './zip-entry.ts'

export type Packing = 'gzip' | 'zstd' | 'zip'

const slotBytes = 256 * 1024
const slotCount = 2
/** After this time without data, the other thread has died. */
const timeoutMs = 120_000

/** The bytes of a compressed file, decompressed by another thread on demand. */
export function decompressedBytes(path: string, form: Packing): Bytes {
  const entry = form === 'zip' ? zipEntryOf(path) : undefined
  if (isConfined) return decompressedAtOnce(path, form, entry)
  const slots = Array.from({ length: slotCount }, () => new Uint8Array(new SharedArrayBuffer(slotBytes)))
  const lengths = new Int32Array(new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT))
  const workerData: DecompressJob = { path, form, entry, slots, lengths }
  const worker = new Worker(new URL(import.meta.resolve('#src/market/data/bytes/decompress-worker.ts')), {
    workerData,
  })
  worker.unref()
  let [turn, taken] = [0, 0]

  function read(into: Uint8Array, start: number): number {
    if (Atomics.wait(lengths, turn, 0, timeoutMs) === 'timed-out') {
      throw new Error(`${path} is not unpacked any more`)
    }
    const length = Atomics.load(lengths, turn)
    const slot = slots[turn] ?? new Uint8Array(0)
    if (length === -1) return 0
    if (length < -1) {
      const reason = Buffer.from(slot.subarray(0, -1 - length)).toString('utf8')
      throw brokenOff(path, form, reason)
    }
    const bytes = slot.subarray(taken, Math.min(length, taken + into.length - start))
    into.set(bytes, start)
    taken += bytes.length
    if (taken === length) {
      Atomics.store(lengths, turn, 0)
      Atomics.notify(lengths, turn)
      turn = (turn + 1) % slotCount
      taken = 0
    }
    return bytes.length
  }

  return { read, close: () => void worker.terminate() }
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

function brokenOff(path: string, form: string, reason: string): Error {
  return badMarket(
    path,
    `cannot be decompressed completely: ${reason} (${form})`,
    'Download or compress it again',
  )
}

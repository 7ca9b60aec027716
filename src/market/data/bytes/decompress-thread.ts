import { Worker } from 'node:worker_threads'
import type { Bytes } from './bytes.ts'
import type { PackedFile, SharedSlots } from './decompress-worker.ts'
import { ended, threadStates } from './thread-states.ts'

const slotBytes = 256 * 1024
const slotCount = 2
/** After this time without data, the other thread has died. */
const timeoutMs = 120_000

/** Threads without a file. A thread takes longer to start than to decompress a day of bars, so it is used again. */
const idle: DecompressThread[] = []

/** A thread that decompresses one file after the other, each on demand and into the same memory. */
export class DecompressThread {
  readonly #slots = Array.from({ length: slotCount }, () => new Uint8Array(new SharedArrayBuffer(slotBytes)))
  readonly #lengths = new Int32Array(new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT))
  readonly #state = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #worker: Worker

  private constructor() {
    const workerData: SharedSlots = { slots: this.#slots, lengths: this.#lengths, state: this.#state }
    this.#worker = new Worker(new URL(import.meta.resolve('#src/market/data/bytes/decompress-worker.ts')), {
      workerData,
    })
    this.#worker.unref()
  }

  /** The bytes of a file; `failed` makes the error from its reason. */
  static bytesOf(file: PackedFile, failed: (reason: string) => Error): Bytes {
    const thread = idle.pop() ?? new DecompressThread()
    return thread.#open(file, failed)
  }

  #open(file: PackedFile, failed: (reason: string) => Error): Bytes {
    const [slots, lengths] = [this.#slots, this.#lengths]
    let [turn, taken, isOpen] = [0, 0, true]
    lengths.fill(0)
    Atomics.store(this.#state, 0, threadStates.busy)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin, windows do
    this.#worker.postMessage(file)

    function read(into: Uint8Array, start: number): number {
      if (Atomics.wait(lengths, turn, 0, timeoutMs) === 'timed-out')
        throw new Error(`${file.path} is not decompressed any more`)
      const length = Atomics.load(lengths, turn)
      const slot = slots[turn] ?? new Uint8Array(0)
      if (length === ended) return 0
      if (length < ended) throw failed(Buffer.from(slot.subarray(0, ended - length)).toString('utf8'))
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

    const close = (): void => {
      if (isOpen) this.#release()
      isOpen = false
    }
    return { read, close }
  }

  /** Waits until the thread has stopped, so that it writes nothing into the slots of the next file. */
  #release(): void {
    const { busy, stopping } = threadStates
    if (Atomics.compareExchange(this.#state, 0, busy, stopping) === busy) {
      for (const turn of this.#lengths.keys()) {
        Atomics.store(this.#lengths, turn, 0)
        Atomics.notify(this.#lengths, turn)
      }
      if (Atomics.wait(this.#state, 0, stopping, timeoutMs) === 'timed-out') {
        void this.#worker.terminate()
        return
      }
    }
    idle.push(this)
  }
}

import type { Duplex } from 'node:stream'

/** How long the first message in these bytes is, or undefined while that is not known. */
type Measure = (bytes: Buffer) => number | undefined

/** Cuts the bytes of a socket into messages: HTTP first, WebSocket frames after the upgrade. */
export class Messages {
  #bytes: Buffer = Buffer.alloc(0)
  #ended = false
  #wake: () => void = () => {}

  constructor(socket: Duplex) {
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk])
      this.#wake()
    })
    for (const event of ['end', 'close', 'error'])
      socket.on(event, () => {
        this.#ended = true
        this.#wake()
      })
  }

  /** The next whole message; undefined if the socket ends before. */
  async next(measure: Measure = httpLength): Promise<Buffer | undefined> {
    for (;;) {
      const length = measure(this.#bytes)
      if (length !== undefined && this.#bytes.length >= length) {
        const message = this.#bytes.subarray(0, length)
        this.#bytes = this.#bytes.subarray(length)
        return message
      }
      if (this.#ended) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** The bytes after the last message. */
  rest(): Buffer {
    return this.#bytes
  }
}

/** Bytes of the head, with the empty line at its end; -1 while it is not complete. */
export function headLength(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n')
  return end === -1 ? -1 : end + 4
}

/** Both sides write a content-length for each body. */
function httpLength(bytes: Buffer): number | undefined {
  const head = headLength(bytes)
  if (head === -1) return undefined
  const length = /^content-length: *(\d+)/im.exec(bytes.toString('latin1', 0, head))?.[1]
  return head + Number(length ?? 0)
}

/** A frame of a server has no mask (RFC 6455 §5.2). */
export function frameLength(bytes: Buffer): number | undefined {
  const short = (bytes[1] ?? 0) & 0x7f
  if (bytes.length < 2) return undefined
  if (short < 126) return 2 + short
  if (short === 126) return bytes.length < 4 ? undefined : 4 + bytes.readUInt16BE(2)
  return bytes.length < 10 ? undefined : 10 + Number(bytes.readBigUInt64BE(2))
}

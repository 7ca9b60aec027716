import { crc32 } from 'node:zlib'
import { blockPoints, type PointBlock } from '#src/market/data/historical-market.ts'
import { extremesOf } from '#src/market/data/points.ts'

/**
 * A block as bytes: a head, and three columns after it, each aligned to eight bytes. A column is `base + step *
 * number`, with the smallest numbers that hold it: none if all values are equal, two or four bytes, or eight bytes for
 * arbitrary values. Sides of trades follow as a column of one byte each, if the file states them.
 *
 * head: count, bytes after the head, checksum of all but itself: 4 each · bytes per number: 1 for each column · 1
 * if there are sides, 0 otherwise
 * base, step: 8 each for each column · lowest price, highest price, time of the last point: 8 each
 */

const headBytes = 88
const columnCount = 3
const places = { count: 0, bytes: 4, sum: 8, widths: 12, sides: 15, scales: 16, low: 64, high: 72, last: 80 }
export const blockHeadBytes = headBytes
/** The largest block: three columns with eight bytes a number, and the sides. */
const blockBytesMax = headBytes + (columnCount * Float64Array.BYTES_PER_ELEMENT + 1) * blockPoints

type Packed = { base: number; step: number; width: 0 | 2 | 4 | 8 }
const shortMost = 0xff_ff
const longMost = 0x7f_ff_ff_ff

export class BlockWriter {
  readonly #bytes = new Uint8Array(blockBytesMax)
  readonly #view = new DataView(this.#bytes.buffer)

  /** The bytes of a block, valid until the next call. */
  pack(block: PointBlock): Uint8Array {
    const view = this.#view
    let end = headBytes
    view.setUint32(places.count, block.count, true)
    for (const [column, values] of [block.at, block.units, block.amounts].entries()) {
      const packed = packingOf(values)
      view.setUint8(places.widths + column, packed.width)
      view.setFloat64(places.scales + 16 * column, packed.base, true)
      view.setFloat64(places.scales + 16 * column + 8, packed.step, true)
      end = this.#writeNumbers(values, packed, end)
    }
    view.setUint8(places.sides, block.sides ? 1 : 0)
    if (block.sides) {
      this.#bytes.set(block.sides, end)
      end = this.#padded(end + block.count)
    }
    view.setFloat64(places.low, block.low, true)
    view.setFloat64(places.high, block.high, true)
    view.setFloat64(places.last, block.at[block.count - 1] ?? 0, true)
    view.setUint32(places.bytes, end - headBytes, true)
    view.setUint32(places.sum, sumOf(this.#bytes, end), true)
    return this.#bytes.subarray(0, end)
  }

  /** Up to the next eight bytes: what was there before must not get into the file. */
  #padded(end: number): number {
    const aligned = Math.ceil(end / 8) * 8
    this.#bytes.fill(0, end, aligned)
    return aligned
  }

  #writeNumbers(values: Float64Array, { base, step, width }: Packed, start: number): number {
    const { buffer } = this.#bytes
    if (width === 8) new Float64Array(buffer, start, values.length).set(values)
    if (width === 2 || width === 4) {
      const Numbers = width === 2 ? Uint16Array : Int32Array
      new Numbers(buffer, start, values.length).set(values.map((value) => (value - base) / step))
    }
    return endOf(start, values.length, width)
  }
}

/** The smallest width that restores every value to the bit. */
function packingOf(values: Float64Array): Packed {
  const { low, high } = extremesOf(values)
  if (low === high) return { base: low, step: 0, width: 0 }
  if (!values.every(Number.isSafeInteger)) return { base: 0, step: 1, width: 8 }
  let step = 0
  for (const value of values) if (step !== 1) step = divisorOf(step, value - low)
  const most = (high - low) / step
  if (most > longMost) return { base: 0, step: 1, width: 8 }
  return { base: low, step, width: most > shortMost ? 4 : 2 }
}

function divisorOf(one: number, other: number): number {
  while (other > 0) [one, other] = [other, one % other]
  return one
}

function endOf(start: number, count: number, width: number): number {
  return start + Math.ceil((count * width) / 8) * 8
}

/** The checksum of everything but itself, up to `end`. */
function sumOf(bytes: Uint8Array, end: number): number {
  const head = crc32(bytes.subarray(0, places.sum))
  return crc32(bytes.subarray(places.widths, end), head)
}

/** Reads all blocks into the same columns. */
export class BlockReader {
  /** Buffer for the bytes of the next block: first its head, then as many bytes as `length` says. */
  readonly bytes = new Uint8Array(blockBytesMax)
  readonly #view = new DataView(this.bytes.buffer)
  readonly #at = new Float64Array(blockPoints)
  readonly #units = new Float64Array(blockPoints)
  readonly #amounts = new Float64Array(blockPoints)
  readonly #sides = new Uint8Array(blockPoints)
  readonly #short = new Uint16Array(this.bytes.buffer)
  readonly #long = new Int32Array(this.bytes.buffer)
  readonly #double = new Float64Array(this.bytes.buffer)

  /** Length after the head. Undefined if the bytes are not a head. */
  get length(): number | undefined {
    const length = this.#view.getUint32(places.bytes, true)
    const count = this.#view.getUint32(places.count, true)
    return count > 0 && count <= blockPoints && headBytes + length <= blockBytesMax ? length : undefined
  }

  get lastAt(): number {
    return this.#view.getFloat64(places.last, true)
  }

  /** Undefined if the checksum does not match. */
  unpack(): PointBlock | undefined {
    const view = this.#view
    const count = view.getUint32(places.count, true)
    const end = headBytes + view.getUint32(places.bytes, true)
    if (sumOf(this.bytes, end) !== view.getUint32(places.sum, true)) return undefined
    let start = headBytes
    for (const [column, values] of [this.#at, this.#units, this.#amounts].entries()) {
      const width = view.getUint8(places.widths + column)
      const base = view.getFloat64(places.scales + 16 * column, true)
      const step = view.getFloat64(places.scales + 16 * column + 8, true)
      if (width === 0) values.fill(base, 0, count)
      else if (width === 8) values.set(this.#double.subarray(start / 8, start / 8 + count))
      else if (width === 2) scaleShort(values, this.#short, { first: start / 2, count, base, step })
      else scaleLong(values, this.#long, { first: start / 4, count, base, step })
      start = endOf(start, count, width)
    }
    const hasSides = view.getUint8(places.sides) === 1
    if (hasSides) this.#sides.set(this.bytes.subarray(start, start + count))
    return {
      count,
      at: this.#at.subarray(0, count),
      units: this.#units.subarray(0, count),
      amounts: this.#amounts.subarray(0, count),
      ...(hasSides && { sides: this.#sides.subarray(0, count) }),
      low: view.getFloat64(places.low, true),
      high: view.getFloat64(places.high, true),
    }
  }
}

type Scale = { first: number; count: number; base: number; step: number }

/**
 * Four at a time, which is a third faster; up to three values after the last one are written and never read. There are
 * two copies of the function, so that each handles one type of numbers only.
 */
function scaleShort(values: Float64Array, numbers: Uint16Array, { first, count, base, step }: Scale): void {
  for (let place = 0, from = first; place < count; place += 4, from += 4) {
    values[place] = base + step * (numbers[from] ?? 0)
    values[place + 1] = base + step * (numbers[from + 1] ?? 0)
    values[place + 2] = base + step * (numbers[from + 2] ?? 0)
    values[place + 3] = base + step * (numbers[from + 3] ?? 0)
  }
}

function scaleLong(values: Float64Array, numbers: Int32Array, { first, count, base, step }: Scale): void {
  for (let place = 0, from = first; place < count; place += 4, from += 4) {
    values[place] = base + step * (numbers[from] ?? 0)
    values[place + 1] = base + step * (numbers[from + 1] ?? 0)
    values[place + 2] = base + step * (numbers[from + 2] ?? 0)
    values[place + 3] = base + step * (numbers[from + 3] ?? 0)
  }
}

import type { Bytes } from '#src/market/data/bytes/bytes.ts'
import { badMarket } from '#src/market/data/market-file-error.ts'
import {
  ignored,
  layoutOfArchive,
  layoutOfHeader,
  isAmount,
  slot,
  withoutForeignIds,
  type CsvLayout,
} from './column-layout.ts'
import { headerFault, headers } from './header-fault.ts'
import { plainOf, readCells, takeSide, timeUnits, unitOf } from './row-text.ts'
import type { Rows } from '#src/market/data/rows.ts'

/**
 * The rows of a CSV file, from its bytes: a row of the usual form is never converted to a string, and no price passes
 * through a fraction. Any other row is read again by `readCells`, which also makes the error messages.
 */

const bufferBytes = 256 * 1024
const lineBytesMax = 4096

const [lineBreak, carriageReturn, comma, point, zero, hash] = [10, 13, 44, 46, 48, 35]
/** Decimals of a price; as many digits fit into 32 bits. */
const unitDigits = 9
const unitsPerOne = 1e9
const powers = Float64Array.from({ length: unitDigits + 1 }, (_, digits) => 10 ** digits)
const unitNames = ['seconds', 'milliseconds', 'microseconds']

export class CsvRows implements Rows {
  readonly layout: CsvLayout
  readonly values: Float64Array
  name: string | undefined
  line = 0
  readonly sorting: string
  readonly #path: string
  readonly #bytes: Bytes
  readonly #buffer = new Uint8Array(bufferBytes)
  #header: string | undefined
  /** Start of the next line, and end of the last complete line in the buffer. */
  #at = 0
  #whole = 0
  #filled = 0
  #ended = false
  /** The last line has no line break: it may be incomplete. */
  #isOpen = false
  #unit: number | undefined
  readonly #notes: string[] = []
  #headersAgain = 0
  #unitChanges = 0

  constructor(path: string, bytes: Bytes) {
    this.#path = path
    this.#bytes = bytes
    this.layout = this.#begin()
    this.values = new Float64Array(this.layout.valueCount)
    const column = this.layout.slots.indexOf(slot.time) + 1
    this.sorting = `Sort the rows below the header by time: sort -s -n -t, -k ${column},${column}`
  }

  next(): boolean {
    while (this.#at < this.#whole || this.#refill()) {
      this.line += 1
      if (this.#passEmpty()) continue
      const end = this.layout.hasTwoTimes ? 0 : this.#readUsual()
      if (end !== 0) this.#at = end
      else if (!this.#readOther()) continue
      if (this.values[slot.unit] !== this.#unit) this.#changeUnit()
      if (this.#isOpen) this.#checkLastRow()
      return true
    }
    return false
  }

  notes(): string[] {
    const notes = [...(this.layout.note === undefined ? [] : [this.layout.note]), ...this.#notes]
    if (this.#headersAgain > 0)
      notes.push(`The header is repeated ${times(this.#headersAgain)}; the repetitions are ignored.`)
    if (this.#unitChanges > 1) notes.push(`The unit of times changes ${times(this.#unitChanges)} in total.`)
    return notes
  }

  /**
   * Skips an empty line or a comment without making a string: a small compressed file can contain hundreds of millions
   * of them.
   */
  #passEmpty(): boolean {
    const first = this.#buffer[this.#at]
    if (first === lineBreak) this.#at += 1
    else if (first === hash) this.#at = this.#buffer.indexOf(lineBreak, this.#at) + 1
    else return false
    return true
  }

  /** The end of the line if it has the usual form, else 0. */
  #readUsual(): number {
    const bytes = this.#buffer
    const { slots } = this.layout
    const { values } = this
    const last = slots.length - 1
    let place = this.#at
    for (let cell = 0; cell <= last; cell++) {
      const wanted = slots[cell] ?? ignored
      const start = place
      let code = bytes[place] ?? 0
      if (wanted === ignored || wanted === slot.side) {
        while (code !== comma && code !== lineBreak) code = bytes[++place] ?? 0
        if (wanted === slot.side && !takeSide(values, bytes, start, place)) return 0
      } else {
        let whole = 0
        while (code >= zero && code < 58) {
          whole = (Math.imul(whole, 10) + code - zero) | 0
          code = bytes[++place] ?? 0
          if (place - start === unitDigits) break
        }
        if (place === start) return 0
        if (wanted === slot.time || wanted === slot.id) {
          const middle = place
          let rest = 0
          while (code >= zero && code < 58) {
            rest = (Math.imul(rest, 10) + code - zero) | 0
            code = bytes[++place] ?? 0
          }
          const more = place - middle
          if (more > 7) return 0
          const value = whole * (powers[more] ?? 0) + rest
          if (wanted === slot.id) {
            if (value > Number.MAX_SAFE_INTEGER) return 0
            values[slot.id] = value
          } else {
            const unit = unitOf(value)
            if (unit === undefined) return 0
            values[slot.unit] = unit
            values[slot.time] =
              unit === timeUnits.ms ? value : unit === timeUnits.s ? value * 1000 : Math.floor(value / 1000)
          }
        } else {
          let value = whole * unitsPerOne
          if (code === point) {
            const first = place + 1
            let rest = 0
            code = bytes[++place] ?? 0
            while (code >= zero && code < 58) {
              rest = (Math.imul(rest, 10) + code - zero) | 0
              code = bytes[++place] ?? 0
            }
            const decimals = place - first
            if (decimals === 0 || decimals > unitDigits) return 0
            value += rest * (powers[unitDigits - decimals] ?? 0)
          }
          if (value > Number.MAX_SAFE_INTEGER || (value === 0 && !isAmount(wanted))) return 0
          values[wanted] = value
        }
      }
      if (cell < last) {
        if (code !== comma) return 0
        place += 1
      } else {
        if (code === carriageReturn) code = bytes[++place] ?? 0
        if (code === lineBreak) return place + 1
      }
    }
    return 0
  }

  /** Whether this line is a row; it may also be blank, a repeated header, or an error. */
  #readOther(): boolean {
    const text = this.#takeLine()
    if (text.trim() === '') return false
    if (text === this.#header) {
      this.#headersAgain += 1
      return false
    }
    const fault = readCells(this.layout, text.split(','), this.values)
    if (!fault) return true
    if (!fault.isTorn || !this.#isOpen || this.#at < this.#whole) throw this.#complaint(fault.what, fault.fix)
    this.#notes.push(
      `Line ${this.line} is incomplete: it has no line break, and "${text.slice(0, 60)}" is not a row. The line is ignored.`,
    )
    return false
  }

  /** The next line without its break; moves `#at` after it. */
  #takeLine(): string {
    const end = this.#buffer.indexOf(lineBreak, this.#at)
    const text = Buffer.from(this.#buffer.buffer, this.#at, end - this.#at).toString('utf8')
    this.#at = end + 1
    return text.endsWith('\r') ? text.slice(0, -1) : text
  }

  /** Reads up to the header, or up to the first row if there is no header. */
  #begin(): CsvLayout {
    this.#refill()
    this.#passMark()
    for (;;) {
      const start = this.#at
      if (start === this.#whole && !this.#refill()) break
      const begun = this.#at
      const text = this.#takeLine()
      this.line += 1
      if (text.startsWith('#')) this.name = /^#\s*market:\s*(\S+)\s*$/i.exec(text)?.[1] ?? this.name
      if (text.trim() === '' || text.startsWith('#')) continue
      const cells = text.split(',').map(plainOf)
      const named = layoutOfHeader(cells)
      if (named) {
        this.#header = text
        return this.#withUsefulIds(named)
      }
      const archive = layoutOfArchive(cells)
      if (!archive) {
        const { what, fix } = headerFault(text, cells)
        throw this.#complaint(what, fix)
      }
      this.#notes.push(`The file has no header and is read as "${archive.what}".`)
      // This line is the first row.
      this.#at = begun
      this.line -= 1
      return archive.layout
    }
    throw badMarket(
      this.#path,
      'holds no prices and no funding',
      `Write a header, ${headers.prices} (of funding: ${headers.funding}), and rows below it`,
    )
  }

  /** Looks at the first row, without taking it. */
  #withUsefulIds(layout: CsvLayout): CsvLayout {
    if (this.#at === this.#whole && !this.#refill()) return layout
    const begun = this.#at
    const cells = this.#takeLine().split(',').map(plainOf)
    this.#at = begun
    return withoutForeignIds(layout, cells)
  }

  #passMark(): void {
    const [first, second, third] = this.#buffer
    if (first === 0xef && second === 0xbb && third === 0xbf) this.#at = 3
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
      throw badMarket(this.#path, 'is written in UTF-16', 'Save it as UTF-8')
    }
  }

  /** At the end of a file missing digits cannot be detected. */
  #checkLastRow(): void {
    if (this.#at < this.#whole || [ignored, slot.side].includes(this.layout.slots.at(-1) ?? ignored)) return
    this.#notes.push(
      `Line ${this.line}, the last one, has no line break and is used as it is; a truncated line may lack digits.`,
    )
  }

  #changeUnit(): void {
    const unit = this.values[slot.unit] ?? 0
    if (this.#unit !== undefined) {
      this.#unitChanges += 1
      const [was, is] = [unitNames[this.#unit], unitNames[unit]]
      const note = `Times are ${was}, and ${is} from line ${this.line}: the size of the numbers tells the unit.`
      if (this.#unitChanges === 1) this.#notes.push(note)
    }
    this.#unit = unit
  }

  /** Reads more bytes. Returns whether there is another line. */
  #refill(): boolean {
    if (this.#ended) return false
    const buffer = this.#buffer
    buffer.copyWithin(0, this.#whole, this.#filled)
    this.#filled -= this.#whole
    this.#at = 0
    this.#whole = 0
    for (;;) {
      if (this.#filled > lineBytesMax) {
        this.line += 1
        throw this.#complaint(`is longer than ${lineBytesMax} characters`, 'Check that it is a CSV file')
      }
      const got = this.#bytes.read(buffer, this.#filled)
      if (got === 0) break
      this.#filled += got
      this.#whole = buffer.lastIndexOf(lineBreak, this.#filled - 1) + 1
      if (this.#whole > 0) return true
    }
    this.#ended = true
    if (this.#filled === 0) return false
    this.#isOpen = true
    buffer[this.#filled] = lineBreak
    this.#filled += 1
    this.#whole = this.#filled
    return true
  }

  #complaint(what: string, fix: string) {
    return badMarket(this.#path, what, fix, this.line)
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

import type { Bytes } from '#src/market/data/bytes/bytes.ts'
import { badMarket } from '#src/market/data/market-file-error.ts'
import { answersOf, type JsonRow } from './json-answers.ts'
import {
  layoutOfHeader,
  slot,
  withoutForeignIds,
  type CsvLayout,
} from '#src/market/data/csv/column-layout.ts'
import { readCells } from '#src/market/data/csv/row-text.ts'
import type { Rows } from '#src/market/data/rows.ts'

/**
 * The rows of a venue's answers, as one JSON text or many, also one a line: every innermost array is a candle; every
 * innermost object is a trade or a funding rate. An answer in descending order, like trades, is reversed; trades with a
 * number that an earlier answer contained are left out.
 */

/** The order is part of the API: the close is before the high. Streams append the name of the market. */
const candleKeys = ['time', 'open', 'close', 'high', 'low', 'volume', 'deal']
/** Libraries for many exchanges write six values in the usual order. */
const shortCandleKeys = ['time', 'open', 'high', 'low', 'close', 'volume']
/** The key of the amount in the base currency in the trades of this venue family. */
const amountKey = 'quote_volume'
const fix = 'Use answers of the venue for klines, trades or funding, one answer or row after the other'

export class JsonRows implements Rows {
  readonly name = undefined
  readonly layout: CsvLayout
  readonly values: Float64Array
  line = 0
  readonly sorting = 'Sort the answers by time'
  readonly #path: string
  readonly #answers: Iterator<JsonRow[]>
  readonly #keys: readonly string[]
  /** The rows of the current answer, last one first. */
  #rows: JsonRow[] = []
  #lastId = -1
  #reversedAnswers = 0
  #repeatedTrades = 0
  #tornLine: number | undefined

  constructor(path: string, bytes: Bytes) {
    this.#path = path
    this.#answers = answersOf(path, bytes, (line) => (this.#tornLine = line))
    const rows = this.#nextAnswer()
    const [first] = rows
    if (first === undefined) throw badMarket(path, 'holds no prices', fix)
    this.#keys = keysOf(first)
    const layout = layoutOfHeader(this.#keys.map((key) => (key === amountKey ? 'amount' : key)))
    if (!layout) throw this.#unknownRow(first)
    this.values = new Float64Array(layout.valueCount)
    this.layout = withoutForeignIds(layout, cellsOf(first, this.#keys) ?? [])
    this.#rows = this.#oldestLast(rows)
  }

  next(): boolean {
    for (;;) {
      const row = this.#rows.pop()
      if (row) {
        this.#read(row)
        if (this.#isNew()) return true
      } else {
        const rows = this.#nextAnswer()
        if (rows.length === 0) return false
        this.#rows = this.#oldestLast(rows)
      }
    }
  }

  notes(): string[] {
    return [
      ...(this.#reversedAnswers > 0
        ? [`Answers in reverse order, which were sorted: ${this.#reversedAnswers}.`]
        : []),
      ...(this.#repeatedTrades > 0 ? [`Repeated trades, which were ignored: ${this.#repeatedTrades}.`] : []),
      ...(this.#tornLine === undefined
        ? []
        : [`The answer that starts in line ${this.#tornLine} is incomplete and was ignored.`]),
    ]
  }

  /** The next answer with rows; none at the end. */
  #nextAnswer(): JsonRow[] {
    for (;;) {
      const { value, done } = this.#answers.next()
      if (done === true) return []
      if (value.length > 0) return value
    }
  }

  #read(row: JsonRow): void {
    this.line = row.line
    const cells = cellsOf(row, this.#keys)
    if (!cells) throw this.#unknownRow(row)
    const fault = readCells(this.layout, cells, this.values)
    if (fault) throw badMarket(this.#path, fault.what, fault.fix, row.line)
  }

  #isNew(): boolean {
    if (!this.layout.hasIds) return true
    const id = this.values[slot.id] ?? 0
    if (id <= this.#lastId) {
      this.#repeatedTrades += 1
      return false
    }
    this.#lastId = id
    return true
  }

  #oldestLast(rows: JsonRow[]): JsonRow[] {
    const [first, last] = [rows[0], rows.at(-1)]
    if (!first || !last) return rows
    const [firstPlace, lastPlace] = [this.#placeOf(first), this.#placeOf(last)]
    if (
      lastPlace.time > firstPlace.time ||
      (lastPlace.time === firstPlace.time && lastPlace.id >= firstPlace.id)
    ) {
      return rows.reverse()
    }
    this.#reversedAnswers += 1
    return rows
  }

  #placeOf(row: JsonRow): { time: number; id: number } {
    this.#read(row)
    return { time: this.values[slot.time] ?? 0, id: this.values[slot.id] ?? 0 }
  }

  #unknownRow({ line, text }: JsonRow) {
    return badMarket(
      this.#path,
      `"${text.slice(0, 60)}" is neither a candle nor a trade nor a funding rate`,
      fix,
      line,
    )
  }
}

/** Texts, numbers and words as written: no number passes through a double. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|[^\s,:[\]{}"]+/g)].map(([word, inside]) => inside ?? word)
}

function keysOf({ text }: JsonRow): readonly string[] {
  const words = wordsOf(text)
  if (!text.startsWith('[')) return words.filter((_, place) => place % 2 === 0)
  return words.length === shortCandleKeys.length ? shortCandleKeys : candleKeys
}

/** The values of these keys; undefined if the row is of another kind. */
function cellsOf({ text }: JsonRow, keys: readonly string[]): string[] | undefined {
  const words = wordsOf(text)
  const isShort = keys === shortCandleKeys
  const isCandle = isShort || keys === candleKeys
  if (text.startsWith('[') !== isCandle) return undefined
  if (isShort) return words.length === keys.length ? words : undefined
  if (isCandle) return words.length < keys.length ? undefined : words.slice(0, keys.length)
  const told = new Map(
    words.flatMap((word, place) => (place % 2 === 0 ? [[word, words[place + 1] ?? '']] : [])),
  )
  return keys.every((key) => told.has(key)) ? keys.map((key) => told.get(key) ?? '') : undefined
}

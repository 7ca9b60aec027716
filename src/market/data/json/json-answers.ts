import type { Bytes } from '#src/market/data/bytes/bytes.ts'
import { badMarket } from '#src/market/data/market-file-error.ts'

/** The text of an innermost array or object, and its first line. Values of `detailKey` are not part of it. */
export type JsonRow = { line: number; text: string }

/** A library for many exchanges keeps the answer of the exchange and the fees inside of each trade. */
const detailKey = /"(?:info|fees?)"\s*:\s*$/
const readBytes = 64 * 1024
const rowCharactersMax = 4096
const answerRowsMax = 100_000
const [lineBreak, quote, backslash] = [10, 34, 92]
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125]

/**
 * Consecutive JSON texts, each as its rows, with at most one text in memory. `torn` is called with the line of a
 * truncated last text.
 */
export function* answersOf(path: string, bytes: Bytes, torn: (line: number) => void): Generator<JsonRow[]> {
  const decoder = new TextDecoder()
  const buffer = new Uint8Array(readBytes)
  let rows: JsonRow[] = []
  let [line, answerLine, rowLine, depth] = [1, 1, 1, 0]
  let [inText, isEscaped] = [false, false]
  /** Open brackets of a value that is left out. */
  let detailDepth = 0
  /** The start of an open row from earlier pieces. */
  let held = ''
  for (let start = -1, got = 1; got > 0;) {
    got = bytes.read(buffer, 0)
    const piece = decoder.decode(buffer.subarray(0, got), { stream: got > 0 })
    for (let place = 0; place < piece.length; place++) {
      const code = piece.charCodeAt(place)
      if (code === lineBreak) line += 1
      if (inText) {
        inText = isEscaped || code !== quote
        isEscaped = !isEscaped && code === backslash
      } else if (detailDepth > 0) {
        if (code === openArray || code === openObject) detailDepth += 1
        else if (code === closeArray || code === closeObject) detailDepth -= 1
        else inText = code === quote
        if (detailDepth === 0) start = place + 1
      } else if (code === openArray || code === openObject) {
        const before = start === -1 ? '' : `${held}${piece.slice(start, place)}`
        if (detailKey.test(before)) {
          held = `${before}null`
          start = -1
          detailDepth = 1
          continue
        }
        if (depth === 0) answerLine = line
        depth += 1
        rowLine = line
        held = ''
        start = place
      } else if (code === closeArray || code === closeObject) {
        depth -= 1
        const text = start === -1 ? '' : `${held}${piece.slice(start, place + 1)}`
        if (text.length > 2) rows.push({ line: rowLine, text })
        start = -1
        if (rows.length > answerRowsMax) throw tooLarge(path, answerLine)
        if (depth === 0) {
          yield rows
          rows = []
        }
      } else if (depth > 0) inText = code === quote
      else if (code > 32)
        throw badMarket(path, `has "${piece.slice(place, place + 20)}" between answers`, 'Remove it', line)
      if (depth < 0) throw badMarket(path, 'closes a bracket that is not open', 'Correct the line', line)
    }
    if (start !== -1) {
      held += piece.slice(start)
      start = 0
      if (held.length > rowCharactersMax) throw tooLong(path, rowLine)
    }
  }
  if (depth > 0) torn(answerLine)
}

function tooLarge(path: string, line: number) {
  return badMarket(path, `is one answer with more than ${answerRowsMax} rows`, 'Write one row per line', line)
}

function tooLong(path: string, line: number) {
  return badMarket(path, `holds a row of more than ${rowCharactersMax} characters`, 'Check the file', line)
}

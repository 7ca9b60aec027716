import { printable } from './printable.ts'

export type Tone = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'
/** A piece of a line, with a tone or without one. What it says with its tone it says with words, too. */
export type TextSpan = string | readonly [Tone, string]
export type TextLine = readonly TextSpan[]
export type Size = { columns: number; rows: number }

/** Characters that take two cells: the scripts of East Asia, and pictures. */
const scripts = [
  String.raw`\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60`,
  String.raw`\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}`,
]
const wide = new RegExp(String.raw`[${scripts.join('')}]|\p{Emoji_Presentation}`, 'u')
/** Those that take none, but stand above others or join them. */
const narrow = /[\p{M}\p{Cf}]/u

/** How many cells of a terminal a text takes. */
export function cellsOf(text: string): number {
  let cells = 0
  for (const sign of text) cells += signCells(sign)
  return cells
}

function signCells(sign: string): number {
  if (sign < '\u0300') return 1
  return narrow.test(sign) ? 0 : wide.test(sign) ? 2 : 1
}

/** As much of a text as fits; what is missing shows as an ellipsis. */
export function cut(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text
  let [kept, used] = ['', 0]
  for (const sign of text) {
    used += signCells(sign)
    if (used > cells - 1) break
    kept += sign
  }
  return cells > 0 ? `${kept}…` : ''
}

export function padded(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellsOf(text)))
}

/** A line as a terminal of that width can show it: in one row, with nothing in it that moves the cursor. */
export function fitted(line: TextLine, cells: number): TextLine {
  const kept: TextSpan[] = []
  let left = cells
  for (const span of line) {
    if (left <= 0) break
    const [tone, raw] = typeof span === 'string' ? [undefined, span] : span
    const text = cut(printable(raw), left)
    left -= cellsOf(text)
    kept.push(tone === undefined ? text : [tone, text])
    if (text.endsWith('…') && !raw.endsWith('…')) break
  }
  return kept
}

export function lineCells(line: TextLine): number {
  return line.reduce((sum, span) => sum + cellsOf(printable(textOf(span))), 0)
}

/** Two lines in one: the second one begins there, whatever stands before. */
export function beside(left: TextLine, right: TextLine, cells: number): TextLine {
  const first = fitted(left, cells)
  return [...first, ' '.repeat(cells - lineCells(first)), ...right]
}

function textOf(span: TextSpan): string {
  return typeof span === 'string' ? span : span[1]
}

import { printable } from './printable.ts'

export type Tone = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'
/** A part of a line, with or without a tone. The tone must not be the only carrier of information. */
export type TextSpan = string | readonly [Tone, string]
export type TextLine = readonly TextSpan[]
export type Size = { columns: number; rows: number }

/** Characters that take two cells: East Asian scripts and emoji. */
const scripts = [
  String.raw`\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60`,
  String.raw`\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}`,
]
const wide = new RegExp(String.raw`[${scripts.join('')}]|\p{Emoji_Presentation}`, 'u')
/** Combining characters, which take no cell. */
const narrow = /[\p{M}\p{Cf}]/u

export function cellsOf(text: string): number {
  let cells = 0
  for (const sign of text) cells += signCells(sign)
  return cells
}

function signCells(sign: string): number {
  if (sign < '\u0300') return 1
  return narrow.test(sign) ? 0 : wide.test(sign) ? 2 : 1
}

/** Cuts a text to this width, with an ellipsis. */
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

/** Cuts a line to this width, and escapes characters that move the cursor. */
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

/** Joins two lines: the second one begins at this cell. */
export function beside(left: TextLine, right: TextLine, cells: number): TextLine {
  const first = fitted(left, cells)
  return [...first, ' '.repeat(cells - lineCells(first)), ...right]
}

function textOf(span: TextSpan): string {
  return typeof span === 'string' ? span : span[1]
}

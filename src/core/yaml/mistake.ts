import type { LineCounter } from 'yaml'

export type Mistake = {
  /** Characters from the start of the file. */
  offset: number
  text: string
  /** How to fix it, if known. */
  hint?: string | undefined
}

/** A maximum, because each mistake takes time that a running bot does not have. */
export const mistakesMax = 50
const mistakesShownMax = 20
const columnsShownMax = 100

/** Every mistake with its place; if the source is given, also with its line and a caret under the place. */
export function describeMistakes(
  name: string,
  mistakes: readonly Mistake[],
  lines: LineCounter,
  source: string | undefined,
): string {
  const shown = [...mistakes].sort((a, b) => a.offset - b.offset).slice(0, mistakesShownMax)
  const sourceLines = source?.split('\n')
  const texts = shown.map(({ offset, text, hint }) => {
    const { line, col: column } = lines.linePos(offset)
    const place = `${name}:${line}:${column} ${text}${hint === undefined ? '' : `, ${hint}`}`
    const sourceLine = sourceLines?.[line - 1]?.replace(/\r$/, '')
    if (sourceLine === undefined) return place
    return `${place}\n${pointed(sourceLine, String(line), column)}`
  })
  const left = mistakes.length - shown.length
  if (left > 0) texts.push(`and ${left} more`)
  return `${mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`} in ${name}\n${texts.join('\n')}`
}

/** A long line is cut around the place, so that the caret stays under the text that it marks. */
export function pointed(sourceLine: string, number: string, column: number): string {
  const start = Math.max(0, column - columnsShownMax)
  const part = sourceLine.slice(start, start + columnsShownMax).replaceAll(/\p{Cc}/gu, ' ')
  return `  ${number} | ${part}\n${' '.repeat(number.length + 5 + column - 1 - start)}^`
}

import { printable } from '#src/operate/terminal/printable.ts'

/** Rows under aligned columns; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const lineWidth = 100

/** A paragraph in lines of readable width, or of another one, with the same indent. No word is cut. */
export function wrapped(text: string, indent: string, width = lineWidth): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + word.length >= width) lines.push(indent + word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

/** Rows whose last cell may be longer than a line: it continues below itself. */
export function paragraphs(rows: readonly (readonly string[])[], width = lineWidth): string[] {
  const starts = columns(rows.map((row) => [...row.slice(0, -1), '|']))
  return rows.flatMap((row, index) => {
    return labelled((starts[index] ?? '').slice(0, -1), row.at(-1) ?? '', width)
  })
}

/** A text behind its label: it continues below itself. */
export function labelled(label: string, text: string, width: number): string[] {
  const [first = '', ...others] = wrapped(text, ' '.repeat(label.length), width)
  return [`${label}${first.trimStart()}`.trimEnd(), ...others]
}

export function timeText(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}

const spanUnits = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** In the largest unit of which there are two, or one without a rest; a bar ends a millisecond before the next one. */
export function spanText(exact: number): string {
  const ms = exact < 1000 ? exact : Math.round(exact / 1000) * 1000
  const [name, length] = spanUnits.find(([, length]) => ms >= 2 * length || ms === length) ?? ['ms', 1]
  const count = Math.round(ms / length)
  return count === 1 && name === 'days' ? '1 day' : `${count} ${name}`
}

/** Quotes a word for a shell, without characters that would control the terminal. */
export function shellWord(word: string): string {
  const shown = printable(word)
  if (shown !== word) return `$'${printable(word.replaceAll(/[\\']/g, String.raw`\$&`))}'`
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** `1 fill`, `2 fills`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

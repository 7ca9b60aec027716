import { styleText } from 'node:util'
import { fitted, type TextLine } from '#src/operate/terminal/line.ts'

/** Prints a line: in colours only if stdout is a terminal whose user wants them. */
export function colored(line: TextLine, columns: number): string {
  return fitted(line, columns)
    .map((span) => (typeof span === 'string' ? span : styleText(span[0], span[1])))
    .join('')
    .trimEnd()
}

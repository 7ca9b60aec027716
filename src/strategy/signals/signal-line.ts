import type { Signal } from './signal-values.ts'

/** A line of a file of signals: `NAME VALUE`, or `time,name,value` as in a CSV file. */
export type SignalLine = Signal & { time?: string }

/** The first line of a CSV file. */
const header = 'time,name,value'

/** The signal of a line; null for a header, an empty line and a comment; undefined for anything else. */
export function signalOfLine(line: string): SignalLine | null | undefined {
  const text = line.trim()
  if (text === '' || text.startsWith('#') || text.replaceAll(' ', '').toLowerCase() === header) return null
  if (!text.includes(',')) {
    const [name = '', value = '', ...more] = text.split(/\s+/)
    return value === '' || more.length > 0 ? undefined : { name, value }
  }
  const [time = '', name = '', value = '', ...more] = text.split(',').map((cell) => cell.trim())
  return time === '' || name === '' || value === '' || more.length > 0 ? undefined : { time, name, value }
}

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readStrategy, type Read } from '#src/strategy/file/read-strategy.ts'
import type { Problem } from '#src/strategy/file/base-files.ts'

const folder = fileURLToPath(new URL('../../strategies/', import.meta.url))

/** Every strategy of the package, by file name. */
export const strategyFiles: readonly { name: string; text: string }[] = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => ({ name, text: readFileSync(`${folder}${name}`, 'utf8') }))

/** The static grid with some texts replaced. */
export function gridWith(...changes: readonly (readonly [string, string])[]): string {
  let text = strategyFiles.find(({ name }) => name.includes('grid'))?.text ?? ''
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the grid does not say ${from}`)
    text = text.replace(from, () => to)
  }
  return text
}

export function problemsIn(text: string): Problem[] {
  const read = readStrategy(new TextEncoder().encode(text))
  return Array.isArray(read) ? read : []
}

export function strategyIn(text: string): Read {
  const read = readStrategy(new TextEncoder().encode(text))
  if (!Array.isArray(read)) return read
  throw new Error(JSON.stringify(read))
}

/** Formatted as `line:column message`. */
export function told(text: string): string[] {
  return problemsIn(text).map(({ line, column, message }) => `${line}:${column} ${message}`)
}

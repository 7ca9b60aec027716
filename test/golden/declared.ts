import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = fileURLToPath(new URL('changes.json', import.meta.url))

/** What comes to something else than it did in a recording, why, and a print of what it comes to. */
export type DeclaredChange = { reason: string; print: string; now: string }
type Part = 'backtests' | 'tapes'
type Changes = Record<Part, Record<string, DeclaredChange>>

export function changes(): Changes {
  if (!existsSync(path)) return { backtests: {}, tapes: {} }
  return JSON.parse(readFileSync(path, 'utf8'))
}

export function writeChanges(all: Changes): void {
  writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`)
}

/** Equal for equal results. */
export function printOf(result: unknown): string {
  return createHash('sha256').update(JSON.stringify(result)).digest('hex').slice(0, 16)
}

/**
 * What is wrong with a result, for people; undefined where it is the recorded one, or the one that is declared. A declaration
 * of what does not differ is wrong, too.
 */
export function faultOf(
  declared: DeclaredChange | undefined,
  recorded: unknown,
  result: unknown,
): string | undefined {
  const print = printOf(result)
  if (print === printOf(recorded)) {
    return (
      declared && 'it comes to what was recorded again: npm run golden:declare takes the declaration away'
    )
  }
  if (print === declared?.print) return undefined
  const differs = declared ? 'it differs from what is declared' : 'it differs, and no reason is declared'
  return `${differs}; npm run golden:declare shows how\n${differencesOf(recorded, result).join('\n')}`
}

const differencesMost = 20

/** Lines that only one of them has, in the order in which they stand. */
export function differencesOf(recorded: unknown, result: unknown): string[] {
  const [before, after] = [recorded, result].map((each) => JSON.stringify(each, null, 1).split('\n'))
  const [had, has] = [new Set(before), new Set(after)]
  const gone = before!.filter((line) => !has.has(line)).map((line) => `- ${line.trim()}`)
  const come = after!.filter((line) => !had.has(line)).map((line) => `+ ${line.trim()}`)
  return [...gone.slice(0, differencesMost), ...come.slice(0, differencesMost)]
}

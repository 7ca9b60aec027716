import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { z } from 'zod'
import { summarySchema } from '#src/research/backtest/result/result-schema.ts'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import type { VariantOutcome } from './ranking.ts'

/** Up to 0.3.2, the first line had the inputs of one sweep, and the outcomes had the number of their backtest. */
const head = JSON.stringify({ rungs: 'results of sweeps', version: 2 })

export const outcomeSchema = z.union([
  z.strictObject({ refused: z.string() }),
  z.strictObject({ summary: summarySchema, returns: z.array(z.number()).optional() }),
])
const lineSchema = z.strictObject({ key: z.string(), outcome: outcomeSchema })

/** Stores each outcome as a line with the key of its backtest, so that other sweeps do not compute it again. */
export class ResultsFile {
  readonly #path: string
  readonly known = new Map<string, VariantOutcome>()

  constructor(path: string) {
    this.#path = path
    const text = guarded(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
    if (text === '') {
      guarded(path, () => writeWholeFile(path, `${head}\n`))
      return
    }
    const [begin, ...lines] = text.split('\n')
    if (begin !== head) {
      throw new BotError('FILE_INVALID', {
        seen: `${path} has no results of sweeps, or results of rungs 0.3.2 or earlier`,
        fix: 'Name another file with --out',
      })
    }
    // A crash left an incomplete line.
    const torn = lines.pop() ?? ''
    if (torn !== '')
      guarded(path, () => truncateSync(path, Buffer.byteLength(text) - Buffer.byteLength(torn)))
    for (const [index, line] of lines.entries()) this.#take(line, index + 2)
  }

  add(key: string, outcome: VariantOutcome): void {
    this.known.set(key, outcome)
    guarded(this.#path, () => appendFileSync(this.#path, `${JSON.stringify({ key, outcome })}\n`))
  }

  #take(line: string, number: number): void {
    const read = lineSchema.safeParse(jsonIn(line))
    if (!read.success) {
      throw new BotError('FILE_INVALID', {
        seen: `${this.#path}: line ${number} is not a result of a sweep`,
        fix: 'Remove the line, or name another file with --out',
      })
    }
    this.known.set(read.data.key, read.data.outcome)
  }
}

function guarded<Value>(path: string, act: () => Value): Value {
  try {
    return act()
  } catch (error) {
    throw new BotError('FILE_UNREADABLE', {
      seen: `${path}${codeBehind(error)}`,
      fix: 'Name another file with --out',
      cause: error,
    })
  }
}

import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { z } from 'zod'
import { summarySchema } from '#src/research/backtest/result/result-schema.ts'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import type { VariantOutcome } from './ranking.ts'

const lineSchema = z.strictObject({
  job: z.int(),
  outcome: z.union([z.strictObject({ refused: z.string() }), z.strictObject({ summary: summarySchema })]),
})

/** Stores each outcome as a line, so that an interrupted sweep can continue. */
export class ResultsFile {
  readonly #path: string
  readonly known = new Map<number, VariantOutcome>()

  /** `inputs` identify a sweep: results of other inputs are refused. */
  constructor(path: string, inputs: Record<string, unknown>) {
    this.#path = path
    const first = JSON.stringify(inputs)
    const text = guarded(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
    if (text === '') {
      guarded(path, () => writeWholeFile(path, `${first}\n`))
      return
    }
    const [begin, ...lines] = text.split('\n')
    if (begin !== first) {
      throw new BotError('FILE_INVALID', {
        seen: `${path} holds the results of another sweep`,
        fix: 'Name another file with --out, or delete it: to continue, strategy, market and settings must be the same',
      })
    }
    // A crash left an incomplete line.
    const torn = lines.pop() ?? ''
    if (torn !== '')
      guarded(path, () => truncateSync(path, Buffer.byteLength(text) - Buffer.byteLength(torn)))
    for (const [index, line] of lines.entries()) this.#take(line, index + 2)
  }

  add(job: number, outcome: VariantOutcome): void {
    this.known.set(job, outcome)
    guarded(this.#path, () => appendFileSync(this.#path, `${JSON.stringify({ job, outcome })}\n`))
  }

  #take(line: string, number: number): void {
    const read = lineSchema.safeParse(jsonIn(line))
    if (!read.success) {
      throw new BotError('FILE_INVALID', {
        seen: `${this.#path}: line ${number} is not a result of a sweep`,
        fix: 'Remove the line, or name another file with --out',
      })
    }
    this.known.set(read.data.job, read.data.outcome)
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

import { catalogue, type ErrorCode } from './error-catalogue.ts'

/** An expected error: `code`, `seen` (what was found) and `fix`. It never contains a body, a header or a key. */
export class BotError extends Error {
  override readonly name = 'BotError'
  readonly code: ErrorCode
  readonly seen: string
  readonly fix: string

  constructor(code: ErrorCode, about: { seen: string; fix?: string; cause?: unknown }) {
    const entry = catalogue[code]
    const fix = about.fix ?? entry.fix
    super(
      `${entry.sentence}: ${about.seen}; fix: ${fix}`,
      about.cause === undefined ? {} : { cause: about.cause },
    )
    this.code = code
    this.seen = about.seen
    this.fix = fix
  }

  get exitCode(): number {
    return catalogue[this.code].exit
  }
}

import { catalogue, type ErrorCode } from './error-catalogue.ts'

/** The only class of expected errors: its message is for the user. `seen` never contains a body, a header or a key. */
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

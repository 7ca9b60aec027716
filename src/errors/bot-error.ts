import { catalogue, type ErrorCode } from './catalogue.ts'

/**
 * The one error class: what a person should read when something that is not a bug went wrong.
 * It never carries a body, a header or a key: `seen` is written by us, word by word.
 */
export class BotError extends Error {
  override readonly name = 'BotError'
  readonly code: ErrorCode
  readonly seen: string
  readonly fix: string

  constructor(code: ErrorCode, about: { seen: string; fix?: string; cause?: unknown }) {
    const entry = catalogue[code]
    const fix = about.fix ?? entry.fix
    super(`${entry.sentence}: ${about.seen}. ${fix}`, about.cause === undefined ? {} : { cause: about.cause })
    this.code = code
    this.seen = about.seen
    this.fix = fix
  }

  get exitCode(): number {
    return catalogue[this.code].exit
  }
}

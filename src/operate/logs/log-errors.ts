import { BotError } from '#src/core/errors/bot-error.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'

/** Takes only name, code and message: errors of libraries may carry a request with its headers. */
export function errorEvent(error: unknown, at: number): Extract<BotEvent, { type: 'error' }> {
  if (!(error instanceof Error)) {
    const message = typeof error === 'string' ? error : 'A value that is not an error was thrown'
    return { type: 'error', at, kind: typeof error, code: null, message }
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  const message = [...causes(error)].map((each) => each.message).join(', because: ')
  const where =
    error instanceof BotError ? undefined : /[^\s/(]{1,99}\.ts:\d{1,7}:\d{1,7}/.exec(error.stack ?? '')?.[0]
  return { type: 'error', at, kind: error.name, code, message, where }
}

const causesMax = 5

function* causes(error: Error): Generator<Error> {
  let each: unknown = error
  for (let count = 0; count < causesMax && each instanceof Error; count += 1) {
    yield each
    each = each.cause
  }
}

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
  const where = error instanceof BotError ? undefined : placeIn(error.stack ?? '')
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

/** The first place in a file of the program. A message may be long and from outside: only lines of the stack are read. */
function placeIn(stack: string): string | undefined {
  for (const line of stack.split('\n')) {
    const place = line.slice(line.lastIndexOf('/') + 1).replace(')', '')
    if (line.startsWith('    at ') && /^[^:]+\.ts:\d+:\d+$/.test(place)) return place
  }
  return undefined
}

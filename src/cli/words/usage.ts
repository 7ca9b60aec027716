import { BotError } from '#src/core/errors/bot-error.ts'

/** The error for a command line that cannot be carried out. */
export function usage(seen: string, fix?: string, cause?: unknown): BotError {
  return new BotError('USAGE', { seen, ...(fix !== undefined && { fix }), cause })
}

import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'

/** An error about a market file, with the line if it is known. */
export function badMarket(path: string, what: string, fix: string, line?: number): BotError {
  const place = line === undefined ? path : `${path}:${line}`
  return new BotError('MARKET_INVALID', { seen: `${place} ${what}`, fix })
}

export function unwritable(path: string, cause: unknown): BotError {
  return new BotError('FILE_NOT_WRITTEN', {
    seen: `${path}${codeBehind(cause)}`,
    fix: 'Name another file, or free disk space',
    cause,
  })
}

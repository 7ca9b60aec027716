import { BotError } from '#src/errors/bot-error.ts'

/** What is wrong with a market file, as far as a line can be named. */
export function badMarket(path: string, what: string, fix: string, line?: number): BotError {
  const place = line === undefined ? path : `${path}:${line}`
  return new BotError('MARKET_INVALID', { seen: `${place} ${what}`, fix })
}

export function unwritable(path: string, cause: unknown): BotError {
  const reason = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return new BotError('FILE_NOT_WRITTEN', {
    seen: `${path}${reason}`,
    fix: 'Name another file, or make room',
    cause,
  })
}

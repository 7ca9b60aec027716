import { sqliteCode, sqliteCodes } from '#src/core/disk/sqlite-errors.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'
import { damaged } from '#src/journal/journal-errors.ts'

const { busy, readOnly, ioError, full, cannotOpen, notDatabase } = sqliteCodes

/** The error of a journal that cannot be opened or read, of what SQLite has thrown. Other errors are returned as they are. */
export function readError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BotError || !('code' in error)) return error
  const code = sqliteCode(error)
  const about = { seen: `${path}: ${error.message}`, cause: error }
  if (code === busy) return new BotError('DATA_BUSY', about)
  if (code === notDatabase) return new BotError('DATA_FOREIGN', about)
  if ([readOnly, ioError, full, cannotOpen].includes(code)) return new BotError('DATA_BROKEN', about)
  if ('syscall' in error) {
    const file = 'path' in error ? String(error.path) : path
    return new BotError('DATA_BROKEN', { seen: `${file}${codeBehind(error)}`, cause: error })
  }
  // A number too large for a column that never held one is damage too.
  return /^ERR_(?:SQLITE|OUT_OF_RANGE)/.test(String(error.code)) ? damaged(about.seen, error) : error
}

import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'

const askDisk =
  'Check the disk. Start with another folder only after you have checked every order at the venue'

export function damaged(seen: string, cause?: unknown): BotError {
  return new BotError('DATA_DAMAGED', { seen, fix: askDisk, cause })
}

export function cutShort(seq: number, end: number): BotError {
  return damaged(
    `the journal ends with record ${seq}, but reached ${end} before: it is damaged or an older copy`,
  )
}

/** Ends the bot, since the next start could not read new records. */
export function moved(path: string, rescued: string | undefined): BotError {
  const stands = 'No request is sent any more, and open orders stay at the venue'
  const putBack = 'Restore the folder, then start again'
  const rename = 'rename it to journal.sqlite, without files journal.sqlite-*, then start again'
  const remedy = rescued === undefined ? putBack : `All records are in ${rescued}: ${rename}`
  return new BotError('DATA_MOVED', { seen: path, fix: `${stands}. ${remedy}` })
}

const [busy, readOnly, ioError, full, cannotOpen, notDatabase] = [5, 8, 10, 13, 14, 26]

/** Whether another process has locked the database. */
export function isBusy(error: unknown): boolean {
  return resultOf(error) === busy
}

/** SQLite's result code without its details; 0 for an error of anything else. */
function resultOf(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0
  return typeof error.errcode === 'number' ? error.errcode & 0xff : 0
}

/** What SQLite says while a journal is opened or read, as a complaint. Everything else goes on as it is. */
export function readTrouble(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BotError || !('code' in error)) return error
  const result = resultOf(error)
  const about = { seen: `${path}: ${error.message}`, cause: error }
  if (result === busy) return new BotError('DATA_BUSY', about)
  if (result === notDatabase) return new BotError('DATA_FOREIGN', about)
  if ([readOnly, ioError, full, cannotOpen].includes(result)) return new BotError('DATA_BROKEN', about)
  if ('syscall' in error) {
    const file = 'path' in error ? String(error.path) : path
    return new BotError('DATA_BROKEN', { seen: `${file}${codeBehind(error)}`, cause: error })
  }
  // A number too large for a column that never held one is damage too.
  return /^ERR_(?:SQLITE|OUT_OF_RANGE)/.test(String(error.code)) ? damaged(about.seen, error) : error
}

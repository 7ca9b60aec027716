import { BotError } from '#src/core/errors/bot-error.ts'

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

export function unwritten(seq: number, cause: unknown): BotError {
  return new BotError('DATA_BROKEN', {
    seen: `the journal could not be written after record ${seq}: ${cause instanceof Error ? cause.message : 'unknown'}`,
    fix: 'Check the disk and start again: the journal holds everything that was sent',
    cause,
  })
}

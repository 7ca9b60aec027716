import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { makeFolder, sharedFolderProblem } from '#src/core/disk/folder.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind, isFull, systemCode } from '#src/core/errors/system-errors.ts'

/** The default folder for all files that outlive a process. */
export function stateFolder(flag: string | undefined): string {
  return flag ?? process.env['RUNGS_STATE_DIR'] ?? '.rungs'
}

export function makeStateFolder(path: string): void {
  try {
    makeFolder(path)
  } catch (cause) {
    const seen = `${path} cannot be created${codeBehind(cause)}`
    if (isFull(systemCode(cause))) throw new BotError('DATA_BROKEN', { seen, cause })
    throw new BotError('FILE_NOT_WRITTEN', {
      seen,
      fix: 'Name a writable folder with --state-dir',
      cause,
    })
  }
  const open = sharedFolderProblem(path)
  if (open !== undefined) throw new BotError('FOLDER_EXPOSED', { seen: `${path}: ${open}` })
}

/** A text that differs between keys and does not reveal them. */
export function fingerprintOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16)
}

/** One file for each key; its name does not reveal the key. */
export function nonceFilePath(stateDir: string, key: string): string {
  makeStateFolder(stateDir)
  return join(stateDir, `nonce-${fingerprintOf(key)}.json`)
}

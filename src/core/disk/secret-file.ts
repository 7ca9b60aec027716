import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind } from '#src/core/errors/system-errors.ts'

const bytesMax = 4096

/**
 * Reads one line from a file that only its owner can read. The file is opened without following links and checked
 * through the same handle, so that it cannot be exchanged between the check and the read.
 */
export function readSecretFile(path: string): string {
  // Windows has neither these modes nor owners; there the permissions of the folder protect the file.
  const hasModes = process.getuid !== undefined
  const handle = open(path)
  try {
    const file = fstatSync(handle)
    if (!file.isFile()) throw new BotError('FILE_UNREADABLE', { seen: `${path} is not a file` })
    const mode = file.mode & 0o777
    // systemd creates credentials as files of root; the group bit lets the service's user read them.
    const isHandedOver = isCredential(path)
    if (hasModes && (mode & (isHandedOver ? 0o037 : 0o077)) !== 0) {
      throw new BotError('SECRET_EXPOSED', { seen: `${path} has mode 0${mode.toString(8)}` })
    }
    if (hasModes && file.uid !== process.getuid?.() && !(isHandedOver && file.uid === 0)) {
      throw new BotError('SECRET_EXPOSED', { seen: `${path} belongs to user ${file.uid}` })
    }
    if (file.size > bytesMax)
      throw new BotError('FILE_INVALID', { seen: `${path} is too large for a secret` })
    const text = readFileSync(handle, 'utf8').trim()
    if (/^[\x21-\x7e]+$/.test(text)) return text
    throw new BotError('FILE_INVALID', {
      seen: text === '' ? `${path} is empty` : `${path} must hold one word`,
      fix: 'Write only the secret into the file, on one line',
    })
  } finally {
    closeSync(handle)
  }
}

/** Whether the service manager has created it for this process (LoadCredential=). */
function isCredential(path: string): boolean {
  const folder = process.env['CREDENTIALS_DIRECTORY']
  return folder !== undefined && dirname(resolve(path)) === resolve(folder)
}

function open(path: string): number {
  try {
    if (lstatSync(path).isSymbolicLink()) {
      throw new BotError('SECRET_EXPOSED', {
        seen: `${path} is a symbolic link, which another user may change`,
        fix: 'Name the target file',
      })
    }
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    if (error instanceof BotError) throw error
    throw new BotError('FILE_UNREADABLE', { seen: `${path}${codeBehind(error)}`, cause: error })
  }
}

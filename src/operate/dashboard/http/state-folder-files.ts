import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/core/errors/system-errors.ts'

/**
 * The token and the port stay the same after a restart, so that an open page finds the bot again. The token is plain text,
 * because programs such as Prometheus read it from the file.
 */

const tokenPattern = /^[\w-]{43}$/
const portPattern = /^[1-9]\d{0,4}$/

/** Address and token of the running bot. */
export function controlPath(stateDir: string): string {
  return join(stateDir, 'control.json')
}

export function keptToken(stateDir: string): string {
  const kept = readOwn(tokenPath(stateDir))
  if (kept !== undefined && tokenPattern.test(kept)) return kept
  const token = randomBytes(32).toString('base64url')
  writeOwn(tokenPath(stateDir), token)
  return token
}

/** The next start creates a new token. */
export function dropToken(stateDir: string): void {
  rmSync(tokenPath(stateDir), { force: true })
}

function tokenPath(stateDir: string): string {
  return join(stateDir, 'token')
}

export function keptPort(stateDir: string): number | undefined {
  const kept = readOwn(join(stateDir, 'port')) ?? ''
  return portPattern.test(kept) && Number(kept) <= 65_535 ? Number(kept) : undefined
}

export function keepPort(stateDir: string, port: number): void {
  writeOwn(join(stateDir, 'port'), String(port))
}

/** One name a line, for shell completion of status, stop, resume and why without starting a process. */
export function keepNames(stateDir: string, names: readonly string[]): void {
  writeOwn(join(stateDir, 'names'), names.join('\n'))
}

/** More than the names of one bot need. */
const namesBytesMost = 65_536

/** The names of the bot that runs in the folder, or ran there last. */
export function keptNames(stateDir: string): string[] {
  return (readOwn(join(stateDir, 'names'), namesBytesMost) ?? '').split('\n').filter(Boolean)
}

/** Writes the file atomically, readable only by its owner. */
export function writeOwn(path: string, text: string): void {
  try {
    writeWholeFile(path, `${text}\n`)
  } catch (cause) {
    throw new BotError('DATA_BROKEN', { seen: `${path} cannot be written${codeBehind(cause)}`, cause })
  }
}

/** Ignores files that others can read or change: they may know the token. */
function readOwn(path: string, bytesMost = 100): string | undefined {
  let handle: number
  try {
    handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    // ELOOP: a symbolic link, which is replaced.
    const code = systemCode(error)
    if (code === 'ENOENT' || code === 'ELOOP') return undefined
    throw error
  }
  try {
    const { mode, size } = fstatSync(handle)
    // Windows has no such modes.
    const isOpen = process.getuid !== undefined && (mode & 0o077) !== 0
    return isOpen || size > bytesMost ? undefined : readFileSync(handle, 'utf8').trim()
  } finally {
    closeSync(handle)
  }
}

import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/core/errors/system-errors.ts'

/**
 * What a process takes over from the one before it, so that a page that was left open finds the bot again after a restart:
 * the word that opens it, in plain text, since others such as Prometheus read theirs from a file, and the port.
 */

const tokenPattern = /^[\w-]{43}$/
const portPattern = /^[1-9]\d{0,4}$/

export function keptToken(stateDir: string): string {
  const kept = readOwn(tokenPath(stateDir))
  if (kept !== undefined && tokenPattern.test(kept)) return kept
  const token = randomBytes(32).toString('base64url')
  writeOwn(tokenPath(stateDir), token)
  return token
}

/** The next start makes a new one. */
export function dropToken(stateDir: string): void {
  rmSync(tokenPath(stateDir), { force: true })
}

function tokenPath(stateDir: string): string {
  return join(stateDir, 'token')
}

/** Undefined where none is kept. */
export function keptPort(stateDir: string): number | undefined {
  const kept = readOwn(join(stateDir, 'port')) ?? ''
  return portPattern.test(kept) && Number(kept) <= 65_535 ? Number(kept) : undefined
}

export function keepPort(stateDir: string, port: number): void {
  writeOwn(join(stateDir, 'port'), String(port))
}

/** What a shell offers behind status, stop, resume and why, read without starting a process: one name a line. */
export function keepNames(stateDir: string, names: readonly string[]): void {
  writeOwn(join(stateDir, 'names'), names.join('\n'))
}

/** Above the number of strategies that one bot runs. */
const namesBytesMost = 65_536

/** Of the bot that runs in the folder, or ran there last. */
export function keptNames(stateDir: string): string[] {
  return (readOwn(join(stateDir, 'names'), namesBytesMost) ?? '').split('\n').filter(Boolean)
}

/** Under its name there is a whole file, or none, and never one that others may read. */
export function writeOwn(path: string, text: string): void {
  try {
    writeWholeFile(path, `${text}\n`)
  } catch (cause) {
    throw new BotError('DATA_BROKEN', { seen: `${path} cannot be written${codeBehind(cause)}`, cause })
  }
}

/** What others could read or change is a word that they may know: it counts as none. */
function readOwn(path: string, bytesMost = 100): string | undefined {
  let handle: number
  try {
    handle = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  } catch (error) {
    // A link to elsewhere is replaced as well.
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

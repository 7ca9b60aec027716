import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder for its owner alone, and those above it that are missing. Level by level: what Node calls recursive
 * never ends at a folder that is there and takes none, as /proc does.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Somebody else may have made it just now.
    if (!isFolder(path)) throw error
  }
}

/** Why others could put files of theirs into a folder; undefined where they cannot. Windows has neither modes nor owners. */
export function openToOthers(path: string): string | undefined {
  const me = process.getuid?.()
  if (me === undefined) return undefined
  const { mode, uid } = statSync(path)
  if ((mode & 0o022) !== 0) return `other users may write to it, mode 0${(mode & 0o7777).toString(8)}`
  return uid === me || uid === 0 ? undefined : `it belongs to user ${uid}`
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    // A confined process (`src/confined.mjs`) may look at each folder that was missing when it started: this one was there.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_ACCESS_DENIED') return true
    throw error
  }
}

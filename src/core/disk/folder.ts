import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder for its owner alone, and the missing folders above it. One level at a time: the recursive call of Node
 * never ends at an existing folder that accepts no entries, such as /proc.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return
  const above = dirname(path)
  if (above !== path) makeFolder(above)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!isFolder(path)) throw error
  }
}

/** Why other users could write files into a folder; undefined if they cannot. Windows has neither modes nor owners. */
export function sharedFolderProblem(path: string): string | undefined {
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
    // A confined process (`src/confined.mjs`) may read every folder that was missing at its start: this one existed.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_ACCESS_DENIED') return true
    throw error
  }
}

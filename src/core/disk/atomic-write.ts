import { closeSync, constants, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncByCommit } from './confined-sync.ts'

/** The calls of the file system that a durable file needs. A test puts a disk in their place that loses its power. */
export type Disk = {
  /** Creates a file that must not exist yet, and opens it for writing. */
  create(path: string, mode: number): number
  /** Writes the bytes from `start` on and gives how many of them were written: all of them or fewer. */
  write(file: number, bytes: Uint8Array, start: number): number
  sync(file: number): void
  close(file: number): void
  rename(from: string, to: string): void
  /** Makes the names of a folder durable. */
  syncFolder(path: string): void
  remove(path: string): void
}

/** Node refuses fsync to a confined process (`src/confined.mjs`). There each write is durable when it returns. */
export const isConfined = process.permission !== undefined
const { O_WRONLY, O_CREAT, O_EXCL, O_SYNC } = constants
const newFileFlags = O_WRONLY | O_CREAT | O_EXCL | (isConfined ? O_SYNC : 0)

export const systemDisk: Disk = {
  create: (path, mode) => openSync(path, newFileFlags, mode),
  write: (file, bytes, start) => writeSync(file, bytes, start),
  sync(file) {
    if (!isConfined) fsyncSync(file)
  },
  close: closeSync,
  rename: (from, to) => renameSync(from, to),
  syncFolder(path) {
    // Windows opens no folders.
    if (process.platform === 'win32') return
    if (isConfined) {
      syncByCommit(path)
      return
    }
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  },
  remove: (path) => rmSync(path, { force: true }),
}

/** What the file shall hold, or who writes it into the open file. */
type Content = string | Uint8Array | ((file: number) => void)

/**
 * Replaces a file as a whole: after a crash, a full disk or a power cut it holds the old content or the new one. When this
 * returns, the new content is durable. A link at this path is replaced and not followed.
 */
export function writeWholeFile(
  path: string,
  content: Content,
  { mode = 0o600, disk = systemDisk }: { mode?: number; disk?: Disk } = {},
): void {
  // Each process has a name of its own, or two would write into one file.
  const fresh = `${path}.${process.pid}.new`
  try {
    disk.remove(fresh)
    const file = disk.create(fresh, mode)
    try {
      if (typeof content === 'function') content(file)
      else writeAll(file, Buffer.from(content), disk)
      disk.sync(file)
    } finally {
      disk.close(file)
    }
    putInPlace(fresh, path, disk)
  } catch (error) {
    disk.remove(fresh)
    // An error of a file handle does not say which file it is.
    if (error instanceof Error && 'syscall' in error) Object.assign(error, { path })
    throw error
  }
}

/** Gives a file that is whole and durable its name, and makes the name durable. */
export function putInPlace(fresh: string, path: string, disk = systemDisk): void {
  refuseWhatIsNoFile(path)
  disk.rename(fresh, path)
  disk.syncFolder(dirname(path))
}

/** Throws what `writeWholeFile` would throw there, before the work is done that is to be written; changes nothing. */
export function tryWholeFile(path: string): void {
  refuseWhatIsNoFile(path)
  const fresh = `${path}.${process.pid}.new`
  systemDisk.remove(fresh)
  systemDisk.close(systemDisk.create(fresh, 0o600))
  systemDisk.remove(fresh)
}

function refuseWhatIsNoFile(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink()) {
    const code = there.isDirectory() ? 'EISDIR' : 'EEXIST'
    throw Object.assign(new Error(`${path} is not a file`), { code, syscall: 'rename', path })
  }
}

/** A write may stop short, as it does where a disk is nearly full: the rest follows until all of it is written. */
export function writeAll(file: number, bytes: Uint8Array, disk: Pick<Disk, 'write'> = systemDisk): number {
  for (let done = 0; done < bytes.length;) {
    const written = disk.write(file, bytes, done)
    if (written === 0)
      throw Object.assign(new Error('nothing was written'), { code: 'EIO', syscall: 'write' })
    done += written
  }
  return bytes.length
}

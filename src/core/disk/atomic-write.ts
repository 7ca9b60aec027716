import { closeSync, constants, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncByCommit } from './confined-sync.ts'

/** The file-system calls that a durable file needs. A test replaces them by a simulated disk that loses its power. */
export type Disk = {
  /** Creates a file that must not exist yet, and opens it for writing. */
  create(path: string, mode: number): number
  /** Writes the bytes from `start` on. Returns how many were written: all of them or fewer. */
  write(file: number, bytes: Uint8Array, start: number): number
  sync(file: number): void
  close(file: number): void
  rename(from: string, to: string): void
  /** Makes the entries of a folder durable. */
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
    // Windows cannot open a folder.
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

/** The content of the file, or a function that writes it to the open file. */
type Content = string | Uint8Array | ((file: number) => void)

/**
 * Replaces a file atomically: after a crash, a full disk or a power cut it has the old content or the new one. When
 * this returns, the new content is durable. A symbolic link at this path is replaced, not followed.
 */
export function writeWholeFile(
  path: string,
  content: Content,
  { mode = 0o600, disk = systemDisk }: { mode?: number; disk?: Disk } = {},
): void {
  // The name contains the process id, so that two processes never write the same file.
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
    renameDurably(fresh, path, disk)
  } catch (error) {
    disk.remove(fresh)
    // An error of a file handle does not name the file.
    if (error instanceof Error && 'syscall' in error) Object.assign(error, { path })
    throw error
  }
}

/** Renames a complete and durable file to its final name, and makes the name durable. */
export function renameDurably(fresh: string, path: string, disk = systemDisk): void {
  refuseNonFile(path)
  disk.rename(fresh, path)
  disk.syncFolder(dirname(path))
}

/** Throws the error that `writeWholeFile` would throw for this path, before the content is computed. Changes nothing. */
export function checkWritable(path: string): void {
  refuseNonFile(path)
  const fresh = `${path}.${process.pid}.new`
  systemDisk.remove(fresh)
  systemDisk.close(systemDisk.create(fresh, 0o600))
  systemDisk.remove(fresh)
}

function refuseNonFile(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink()) {
    const code = there.isDirectory() ? 'EISDIR' : 'EEXIST'
    throw Object.assign(new Error(`${path} is not a file`), { code, syscall: 'rename', path })
  }
}

/** Writes all bytes: a single write may be partial, for example on a nearly full disk. */
export function writeAll(file: number, bytes: Uint8Array, disk: Pick<Disk, 'write'> = systemDisk): number {
  for (let done = 0; done < bytes.length;) {
    const written = disk.write(file, bytes, done)
    if (written === 0)
      throw Object.assign(new Error('nothing was written'), { code: 'EIO', syscall: 'write' })
    done += written
  }
  return bytes.length
}

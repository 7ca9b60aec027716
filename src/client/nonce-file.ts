import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { BotError } from '#src/errors/bot-error.ts'
import { systemCode } from '#src/errors/system-words.ts'
import type { NonceMemory, NonceTrace } from './nonce.ts'

const trace = z.strictObject({
  ceiling: z.int().min(0),
  recent: z
    .array(z.strictObject({ agoMs: z.int(), calls: z.int().min(0), path: z.string().optional() }))
    .nullable(),
  monotonicMs: z.int().min(0).optional(),
})

/** The trace of one key in a file of its own, replaced as a whole: after a crash it holds the old or the new one. */
export function nonceFile(path: string): NonceMemory {
  return {
    load: () => {
      const text = readIfThere(path)
      return text === undefined ? undefined : parse(path, text)
    },
    save: (value) => {
      try {
        replace(path, JSON.stringify(value))
      } catch (cause) {
        throw new BotError('DATA_BROKEN', { seen: `the nonce file ${path} cannot be written`, cause })
      }
    },
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined
    throw new BotError('FILE_UNREADABLE', { seen: path, cause })
  }
}

function parse(path: string, text: string): NonceTrace {
  try {
    return trace.parse(JSON.parse(text))
  } catch (cause) {
    throw new BotError('FILE_INVALID', {
      seen: `${path} is not a nonce file`,
      fix: 'Restore it, or use a new key: a nonce below the last one is refused',
      cause,
    })
  }
}

function replace(path: string, text: string): void {
  // Each process has its own, or two would write into one and rename what the other has not finished.
  const fresh = `${path}.${process.pid}.new`
  rmSync(fresh, { force: true })
  synced(fresh, 'wx', (file) => writeSync(file, text))
  renameSync(fresh, path)
  // The new name is durable once its folder is; Windows has no handle on folders and needs none.
  if (process.platform !== 'win32') synced(dirname(path), 'r', () => {})
}

function synced(path: string, flags: string, write: (file: number) => void): void {
  const file = openSync(path, flags, 0o600)
  try {
    write(file)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

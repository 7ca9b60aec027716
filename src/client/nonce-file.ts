import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { systemDisk, writeWholeFile } from '#src/disk/whole-file.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/errors/system-words.ts'
import type { NonceMemory, NonceTrace } from './nonce.ts'

const trace = z.strictObject({
  ceiling: z.int().min(0),
  recent: z
    .array(z.strictObject({ agoMs: z.int(), calls: z.int().min(0), path: z.string().optional() }))
    .nullable(),
  monotonicMs: z.int().min(0).optional(),
})

/** The trace of one key in a file of its own, replaced as a whole: after a crash it holds the old or the new one. */
export function nonceFile(path: string, disk = systemDisk): NonceMemory {
  return {
    load: () => {
      const text = readIfThere(path)
      return text === undefined ? undefined : parse(path, text)
    },
    save: (value) => {
      try {
        writeWholeFile(path, JSON.stringify(value), { disk })
      } catch (cause) {
        throw new BotError('DATA_BROKEN', {
          seen: `the nonce file ${path} cannot be written${codeBehind(cause)}`,
          cause,
        })
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

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { systemDisk, writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/core/errors/system-errors.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import type { NonceMemory, NonceTrace, UnreadTrace } from './nonces.ts'

const trace = z.strictObject({
  ceiling: z.int().min(0),
  recent: z
    .array(z.strictObject({ agoMs: z.int(), calls: z.int().min(0), path: z.string().optional() }))
    .nullable(),
  monotonicMs: z.int().min(0).optional(),
})

/** Stores the last nonce of one key in a file, so that nonces rise across restarts. A crash leaves the old or the new value. */
export function nonceFile(path: string, disk = systemDisk): NonceMemory {
  return {
    load: () => {
      try {
        return parse(path, readFileSync(path, 'utf8'))
      } catch (cause) {
        if (systemCode(cause) === 'ENOENT') return undefined
        return { unread: `the nonce file ${path} cannot be read${codeBehind(cause)}` }
      }
    },
    save: (value) => {
      try {
        writeWholeFile(path, JSON.stringify(value), { disk })
      } catch (cause) {
        // Its folder was moved or deleted: a start would make a new one, and know nothing.
        if (systemCode(cause) === 'ENOENT')
          throw new BotError('DATA_MOVED', { seen: `the folder of the nonce file ${path} is gone`, cause })
        throw new BotError('DATA_BROKEN', {
          seen: `the nonce file ${path} cannot be written${codeBehind(cause)}`,
          cause,
        })
      }
    },
  }
}

function parse(path: string, text: string): NonceTrace | UnreadTrace {
  const read = trace.safeParse(jsonIn(text))
  return read.success ? read.data : { unread: `${path} is not a nonce file` }
}

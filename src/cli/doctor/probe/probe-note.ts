import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { codeBehind, systemCode } from '#src/core/errors/system-errors.ts'
import { notWritten, onDisk } from '#src/cli/files/named-file.ts'
import { fingerprintOf, makeStateFolder } from '#src/cli/files/state-folder.ts'

const noted = z.strictObject({
  url: z.string(),
  /** Unix milliseconds of the last order. */
  at: z.number(),
  /** What the orders look like at the venue, for a venue that ignored their ids. */
  orders: z.array(
    z.strictObject({ market: z.string(), side: z.string(), price: z.string(), amount: z.string() }),
  ),
})

/** The orders that a probe is about to place. A probe that was killed leaves it behind, and the next one cancels them. */
export type ProbeNote = z.output<typeof noted>

/** Where the note is kept. `save` returns when it would survive a loss of power. */
export type NoteMemory = { load(): ProbeNote | undefined; save(note: ProbeNote): void; remove(): void }

export function noteFile(stateDir: string, key: string): NoteMemory {
  makeStateFolder(stateDir)
  const path = join(stateDir, `probe-${fingerprintOf(key)}.json`)
  return {
    load() {
      try {
        return noted.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch (cause) {
        if (systemCode(cause) === 'ENOENT') return undefined
        throw new BotError('FILE_UNREADABLE', {
          seen: `${path}, the note of an earlier probe${codeBehind(cause)}`,
          fix: 'Cancel open orders at the venue whose ids begin with rungs-probe-, and delete the file',
          cause,
        })
      }
    },
    save(note) {
      onDisk(path, () => writeWholeFile(path, JSON.stringify(note)), notWritten)
    },
    remove: () => rmSync(path, { force: true }),
  }
}

/** For an exchange that ends with this process. */
export function passingNote(): NoteMemory {
  let note: ProbeNote | undefined
  return {
    load: () => note,
    save(value) {
      note = value
    },
    remove() {
      note = undefined
    },
  }
}

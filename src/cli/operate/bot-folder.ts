import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { stateFolder } from '#src/cli/files/state-folder.ts'
import { journalPath } from '#src/journal/sqlite/schema.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { shellWord } from '#src/cli/words/text.ts'
import { readControl } from './control-call.ts'

/**
 * The state folder of the bot that a command is for: the named one, else the default. If no bot has ever run in the default
 * folder, and one runs in one folder inside of it, that one: the bot of `npm start` is there.
 */
export function botFolder(flag: string | undefined): string {
  const folder = stateFolder(flag)
  const isNamed = flag !== undefined || process.env['RUNGS_STATE_DIR'] !== undefined
  if (isNamed || runsIn(folder)) return folder
  const inside = runningInside(folder)
  const [only] = inside
  // The bot of a folder with a journal may have just ended: its commands must not reach another bot.
  const isClear = inside.length === 1 && !existsSync(journalPath(folder))
  if (only !== undefined && isClear) {
    process.stderr.write(`State folder: ${printable(only)}\n`)
    return only
  }
  for (const other of inside)
    process.stderr.write(`A bot runs in ${printable(other)}: pass --state-dir ${shellWord(other)}\n`)
  return folder
}

/** The folders inside of it in which a bot runs. */
function runningInside(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name))
      .filter(runsIn)
  } catch {
    return []
  }
}

/** A folder that cannot be read is no reason to end a command for another one. */
function runsIn(folder: string): boolean {
  try {
    return readControl(folder) !== undefined
  } catch {
    return false
  }
}

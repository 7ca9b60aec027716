import { BotError } from '#src/core/errors/bot-error.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { live, open } from './counting-machine.ts'
import { realTime } from '#test/support/real-time.ts'

/**
 * A process that lives on a journal until it is killed: `node writer.ts FOLDER SEED`. Says on stdout how far it came each
 * time that a commit has returned. With a third word it never asks for a commit, and the journal makes them by itself.
 */
const [, , folder = '', seed = '', quiet] = process.argv
const chance = chanceOf(Number(seed))
try {
  const journal = open(folder)
  process.stdout.write(`${journal.machine.state.at}\n`)
  for (;;) {
    live(journal, 1 + chance.below(40), chance)
    if (quiet !== undefined) {
      // A machine that is fast writes no more than a slow one before the journal's own timer is due.
      await realTime(1)
      continue
    }
    journal.commit()
    process.stdout.write(`${journal.machine.state.at}\n`)
  }
} catch (error) {
  if (!(error instanceof BotError)) throw error
  process.stderr.write(`${error.code}: ${error.message}\n`)
  process.exitCode = error.exitCode
}

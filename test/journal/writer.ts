import { BotError } from '#src/errors/bot-error.ts'
import { chanceOf } from '../fuzz/chance.ts'
import { live, open } from './counting-machine.ts'

/**
 * A process that lives on a journal until it is killed: `node writer.ts FOLDER SEED`. Says on stdout how far it came each
 * time that a commit has returned.
 */
const [, , folder = '', seed = ''] = process.argv
const chance = chanceOf(Number(seed))
try {
  const journal = open(folder)
  process.stdout.write(`${journal.machine.state.at}\n`)
  for (;;) {
    live(journal, 1 + chance.below(40), chance)
    journal.commit()
    process.stdout.write(`${journal.machine.state.at}\n`)
  }
} catch (error) {
  if (!(error instanceof BotError)) throw error
  process.stderr.write(`${error.code}: ${error.message}\n`)
  process.exitCode = error.exitCode
}

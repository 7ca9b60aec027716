import { argv } from 'node:process'
import { run } from '#src/cli/program/command-line.ts'
import { reportError } from '#src/cli/program/error-text.ts'
import { peakMebibytes } from '#test/support/peak-memory.ts'

/** Runs a command and prints at the end the most memory that the process used, in MiB. */
try {
  await run(argv.slice(2))
} catch (error) {
  reportError(error)
}
process.stdout.write(`${Math.round(peakMebibytes())}\n`)

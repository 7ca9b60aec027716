import { setFlagsFromString } from 'node:v8'
import { reportError, unread } from '#src/cli/program/error-text.ts'
import { run } from '#src/cli/program/command-line.ts'

// Young garbage is little here. Collecting it on several threads at once took some 70 µs of CPU
// from the machine for every bulk of twenty orders that the exchange placed, and gave none of it back in time.
setFlagsFromString('--no-parallel-scavenge')

process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(unread(error)))

// Without await: the package starts short commands from a script, not from a module. So the exit code of Node for a module
// that never ends its work is set here.
process.exitCode = 13
void run(process.argv.slice(2))
  .catch(reportError)
  .then((exitCode) => (process.exitCode = exitCode))

import { argv } from 'node:process'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { reportError } from '#src/cli/program/error-text.ts'
import { keepNames } from '#src/operate/dashboard/http/state-folder-files.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { Log } from '#src/operate/logs/log.ts'
import { open } from '#test/journal/counting-machine.ts'

/** Writes one kind of file of a bot, one row of the table, and exits with the code of its error. */
const [, , what = '', path = '', size = '0'] = argv
const long = 'x'.repeat(Number(size))
const writes: Record<string, () => void> = {
  nonces: () =>
    nonceFile(path).save({ ceiling: 2, recent: [{ agoMs: 0, calls: 1, path: long }], monotonicMs: 1 }),
  journal: () => open(path),
  log: () => logLines(Number(size)),
  names: () => keepNames(path, [long]),
}

const onLost = (code: string) => void process.stdout.write(`lost ${code}\n`)

/** Writes `lines` log lines, one at a time, and prints the code of each report of lost lines. */
function logLines(lines: number): void {
  const log = new Log({ stateDir: path, clock: systemClock, secrets: [], onLost })
  for (let line = 1; line <= lines; line++) log.write([{ type: 'alert', at: 0, message: `line ${line}` }])
}

try {
  writes[what]?.()
} catch (error) {
  process.exitCode = reportError(error)
}

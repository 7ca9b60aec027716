import { exitCodes } from '#src/core/errors/error-catalogue.ts'

/** Of a line on the terminal; a file or another program gets each text in one line. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns : Infinity
}

/** Prints the result of a command that has succeeded, and returns its exit code. */
export function printed(text: string): number {
  process.stdout.write(`${text}\n`)
  return exitCodes.ok
}

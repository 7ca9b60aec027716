import { exitCodes } from '#src/core/errors/error-catalogue.ts'

/** Prints the result of a command that has succeeded, and returns its exit code. */
export function printed(text: string): number {
  process.stdout.write(`${text}\n`)
  return exitCodes.ok
}

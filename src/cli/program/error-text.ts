import { BotError } from '#src/core/errors/bot-error.ts'
import { catalogue, exitCodes } from '#src/core/errors/error-catalogue.ts'
import { isFull, systemWords } from '#src/core/errors/system-errors.ts'
import { printableLines } from '#src/operate/terminal/printable.ts'

/** Prints an error to stderr and returns the exit code: plain lines for an expected error, a stack trace for a bug. */
export function reportError(error: unknown): number {
  if (error instanceof SuppressedError) {
    // The cause of the end first, then errors while closing.
    const code = reportError(error.suppressed)
    reportError(error.error)
    return code
  }
  if (error instanceof BotError) {
    const { sentence } = catalogue[error.code]
    process.stderr.write(
      printableLines(`${error.code}: ${sentence}: ${spoken(error.seen)}\nfix: ${error.fix}`) + '\n',
    )
    return error.exitCode
  }
  const refused = refusedBySystem(error)
  if (refused) return reportError(refused)
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`This is a bug in rungs. Please report it.\n${printableLines(trace)}\n`)
  return exitCodes.failure
}

/** An error code of the operating system in brackets, with its meaning. */
export function spoken(seen: string): string {
  return seen.replace(/\((E[A-Z_]+)\)/, (_, code: string) => `(${systemWords(code)})`)
}

/** An inaccessible file or folder that no code expected: no bug, and no stack trace. */
function refusedBySystem(error: unknown): BotError | undefined {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error && 'path' in error)) return undefined
  const code = String(error.code)
  if (systemWords(code) === code) return undefined
  const written = code === 'EROFS' ? 'FILE_NOT_WRITTEN' : 'FILE_UNREADABLE'
  return new BotError(isFull(code) ? 'DATA_BROKEN' : written, {
    seen: `${String(error.path)} (${code})`,
    cause: error,
  })
}

/** The reader of stdout has closed it (`rungs api | head`): that is no error. */
export function unread({ code }: NodeJS.ErrnoException): number {
  if (code === 'EPIPE') return exitCodes.ok
  process.stderr.write(`The output cannot be written (${code}).\n`)
  return exitCodes.failure
}

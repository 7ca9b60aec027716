import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { pointed } from '#src/core/yaml/mistake.ts'
import type { Problem } from '#src/strategy/file/base-files.ts'
import { printableLines } from '#src/operate/terminal/printable.ts'
import type { Faulty } from '#src/runtime/compose/strategy-files.ts'
import type { SourceFile } from '#src/runtime/compose/strategy-file.ts'

const problemsShownMax = 50

/** Prints the problems of all files, and returns the exit code. */
export function printFaulty(faulty: readonly Faulty[]): number {
  for (const { problems, sourceOf } of faulty) process.stderr.write(`${problemsText(sourceOf, problems)}\n`)
  return exitCodeOf(faulty.flatMap(({ problems }) => problems))
}

/** A file that cannot be read is no mistake in it. */
export function exitCodeOf(problems: readonly Problem[]): number {
  return problems.every(({ isUnreadable }) => isUnreadable) ? exitCodes.config : exitCodes.data
}

/** Every problem with its line, a caret under its place, and the remedy. */
export function problemsText(
  sourceOf: (problem: Problem) => SourceFile,
  problems: readonly Problem[],
  word = 'problem',
): string {
  const shown = problems.slice(0, problemsShownMax).map((problem) => {
    const { line, column, message, hint } = problem
    const { path, text } = sourceOf(problem)
    const sourceLine = (text.split('\n')[line - 1] ?? '').replace(/\r$/, '')
    // An unreadable or empty file has no place to show.
    const parts =
      text === ''
        ? [`${path}: ${message}`]
        : [`${path}:${line}:${column} ${message}`, pointed(sourceLine, String(line), column)]
    return [...parts, ...(hint === '' ? [] : [`  fix: ${hint}`])].join('\n')
  })
  const left = problems.length - shown.length
  const heading = `${problems.length} ${word}${problems.length === 1 ? '' : 's'}`
  return printableLines([heading, ...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('\n'))
}

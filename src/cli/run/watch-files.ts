import { statSync } from 'node:fs'
import type { RunningBot } from '#src/runtime/loop/bot.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { systemClock } from '#src/core/time/clock.ts'
import {
  readStrategies,
  type Check,
  type Faulty,
  type StrategyFile,
} from '#src/runtime/compose/strategy-files.ts'
import { shellWord } from '#src/cli/words/text.ts'

const lookEveryMs = 1000
const problemsTold = 2

/** Of a strategy that runs: the text that it runs by, and the files that the last reading looked for. */
type Known = { name: string; text: string; paths: readonly string[] }

/**
 * Looks for changed files, a strategy's own and those that it extends, which stand beside it. One that passes every check
 * acts from there on; of one that does not, the log says why, and what ran before goes on.
 */
export async function watchFiles(about: {
  files: readonly StrategyFile[]
  check: Check
  bot: Pick<RunningBot, 'reload'>
  say: LogEvent
  signal: AbortSignal
}): Promise<void> {
  const { files, check, bot, say, signal } = about
  const running = new Map(
    files
      .filter(({ path }) => canBeReadAgain(path))
      .map(({ path, read, paths }) => [path, { name: read.strategy.name, text: read.text(), paths }]),
  )
  // While a venue was asked what it is, a file may have changed already: the first look is at all of them.
  let before: string | undefined
  for (;;) {
    await systemClock.sleep(lookEveryMs, signal).catch(() => {})
    if (signal.aborted) return
    const now = printOf(running.values().flatMap(({ paths }) => paths))
    if (now === before) continue
    before = now
    for (const [path, known] of running) {
      await lookAt(path, known)
      // While the bot learned of it, it may have been told to end.
      if (signal.aborted) return
    }
  }

  async function lookAt(path: string, known: Known): Promise<void> {
    let found: ReturnType<typeof readStrategies>
    try {
      found = readStrategies([path], check)
    } catch (error) {
      // An unexpected failure must not stop the running strategy: it keeps its last file.
      return refuse(
        1,
        `the file cannot be checked: ${printable(String(error))}; fix: run rungs check ${shellWord(path)}`,
      )
    }
    const { files: fit, faulty } = found
    const [mistaken] = faulty
    const [file] = fit
    known.paths = (mistaken ?? file)?.paths ?? known.paths
    if (mistaken !== undefined) {
      refuse(mistaken.problems.length, printable(problemsLine(mistaken)))
    } else if (file !== undefined && file.read.strategy.name !== known.name) {
      refuse(
        1,
        `the name of the strategy is now ${file.read.strategy.name}; order ids hold the name: restart the bot`,
      )
    } else if (file !== undefined && file.read.text() !== known.text) {
      known.text = file.read.text()
      await bot.reload(file.read)
    }

    function refuse(problems: number, message: string): void {
      say({ type: 'strategy-refused', strategy: known.name, file: path, problems, message })
    }
  }
}

/** What came through a pipe has been read, and who reads it again waits for ever. */
function canBeReadAgain(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return true
  }
}

/** As much as a line of a log is good for, and where the others are shown. */
function problemsLine({ path, problems, sourceOf }: Faulty): string {
  const told = problems.slice(0, problemsTold).map((problem) => {
    const { path: place } = sourceOf(problem)
    return `${place === path ? '' : `${place} `}line ${problem.line}: ${problem.message}`
  })
  const left = problems.length - told.length
  return [...told, ...(left > 0 ? [`and ${left} more, see rungs check ${shellWord(path)}`] : [])].join('; ')
}

/** When each of the files was written. */
function printOf(paths: Iterable<string>): string {
  return [...paths].map((path) => `${path} ${writingOf(path)}`).join('\n')
}

/** When it was written, and how long it is; what cannot be looked at is as good as gone, until it can be. */
function writingOf(path: string): string {
  try {
    const { mtimeMs, size } = statSync(path)
    return `${mtimeMs} ${size}`
  } catch (error) {
    return `${systemCode(error)}`
  }
}

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

/** For a running strategy: its present text, and the files that the last reading depended on. */
type Known = { name: string; text: string; paths: readonly string[] }

/**
 * Watches a strategy's file and the files that it extends. A file that passes every check applies from then on; otherwise the log
 * says why, and the previous text stays in force.
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
  // A file may have changed while the start asked the venue: the first check covers all files.
  let before: string | undefined
  for (;;) {
    await systemClock.sleep(lookEveryMs, signal).catch(() => {})
    if (signal.aborted) return
    const now = printOf(running.values().flatMap(({ paths }) => paths))
    if (now === before) continue
    before = now
    for (const [path, known] of running) {
      await lookAt(path, known)
      // The run may have been ended meanwhile.
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

/** A pipe has been read already; a second read would wait for ever. */
function canBeReadAgain(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return true
  }
}

/** As much as fits a line of the log, and where the others are shown. */
function problemsLine({ path, problems, sourceOf }: Faulty): string {
  const told = problems.slice(0, problemsTold).map((problem) => {
    const { path: place } = sourceOf(problem)
    return `${place === path ? '' : `${place} `}line ${problem.line}: ${problem.message}`
  })
  const left = problems.length - told.length
  return [...told, ...(left > 0 ? [`and ${left} more, see rungs check ${shellWord(path)}`] : [])].join('; ')
}

/** The time of the last change of each file. */
function printOf(paths: Iterable<string>): string {
  return [...paths].map((path) => `${path} ${writingOf(path)}`).join('\n')
}

/** The time of its last change, and its size; a file that cannot be read counts as missing until it can. */
function writingOf(path: string): string {
  try {
    const { mtimeMs, size } = statSync(path)
    return `${mtimeMs} ${size}`
  } catch (error) {
    return `${systemCode(error)}`
  }
}

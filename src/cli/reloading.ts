import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunningBot } from '#src/bot/bot.ts'
import type { Say } from '#src/bot/say.ts'
import { printable } from '#src/terminal/printable.ts'
import { systemClock } from '#src/time/clock.ts'
import { readStrategies, type Check, type Faulty, type StrategyFile } from './strategy-files.ts'
import { shellWord } from './text.ts'

const lookEveryMs = 1000
const problemsTold = 2

/**
 * Looks for changed files, a strategy's own and those that it extends, which stand beside it. One that passes every check
 * acts from there on; of one that does not, the log says why, and what ran before goes on.
 */
export async function watchFiles(about: {
  files: readonly StrategyFile[]
  check: Check
  bot: Pick<RunningBot, 'reload'>
  say: Say
  signal: AbortSignal
}): Promise<void> {
  const { files, check, bot, say, signal } = about
  const folders = [...new Set(files.map(({ path }) => dirname(path)))]
  const running = new Map(
    files.map(({ path, read }) => [path, { name: read.strategy.name, text: read.text() }]),
  )
  let before = printOf(folders)
  for (;;) {
    await systemClock.sleep(lookEveryMs, signal).catch(() => {})
    if (signal.aborted) return
    const now = printOf(folders)
    if (now === before) continue
    before = now
    for (const [path, known] of running) await lookAt(path, known)
  }

  async function lookAt(path: string, known: { name: string; text: string }): Promise<void> {
    const { files: fit, faulty } = readStrategies([path], check)
    const [mistaken] = faulty
    const [file] = fit
    if (mistaken !== undefined) {
      refuse(mistaken.problems.length, printable(problemsLine(mistaken)))
    } else if (file !== undefined && file.read.strategy.name !== known.name) {
      refuse(1, `it is called ${file.read.strategy.name} now, and orders carry the name: start it anew`)
    } else if (file !== undefined && file.read.text() !== known.text) {
      known.text = file.read.text()
      await bot.reload(file.read)
    }

    function refuse(problems: number, message: string): void {
      say({ type: 'strategy-refused', strategy: known.name, file: path, problems, message })
    }
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

/** Which files there are, and when each was written. */
function printOf(folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      namesIn(folder)
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => {
          const file = statSync(join(folder, name), { throwIfNoEntry: false })
          return `${folder}/${name} ${file?.mtimeMs} ${file?.size}`
        }),
    )
    .join('\n')
}

/** A folder that is gone for a moment, while somebody replaces it, has no files. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

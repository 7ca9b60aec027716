import { once } from 'node:events'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { logFiles, logFolder } from '#src/operate/logs/log-files.ts'
import { LogReader, type LogLine } from '#src/operate/logs/log-reader.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import { isRecord } from '#src/core/objects/objects.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { Shutdown } from '#src/cli/run/shutdown.ts'
import { columnsOf, eventText, type Said } from '#src/cli/words/event-text.ts'
import { levels, sieve, sinceOf, strategiesOf, type SieveFlags } from './log-filter.ts'
import { botFolder } from '#src/cli/operate/bot-folder.ts'

export type LogsFlags = SieveFlags & {
  follow?: boolean
  /** The most lines; Infinity for all. */
  lines?: number
  since?: string
  json?: boolean
  stateDir?: string
}

const pollMs = 200
const shownMax = 60
/** `--follow` shows new lines after some older ones. */
const linesBefore = 10

type Wanted = (event: Said) => boolean

/** Prints the log of a folder; with `--follow`, new lines until it is interrupted. */
export async function logs(flags: LogsFlags): Promise<number> {
  const folder = logFolder(botFolder(flags.stateDir))
  const since = flags.since === undefined ? '' : sinceOf(flags.since, systemClock.now())
  const passes = sieve({ ...flags, since })
  const names = new Set<string>()
  const wanted: Wanted = (event) => {
    for (const name of strategiesOf(event)) names.add(name)
    return passes(event)
  }
  const ending = flags.follow ? new Shutdown() : undefined
  if (logFiles(folder).length === 0) tellNothing(folder, ending !== undefined)
  const most = flags.lines ?? (flags.follow === true && flags.since === undefined ? linesBefore : Infinity)
  // No file holds a line of a later day.
  const { reader, lines: last } = begin(folder, `rungs-${since.slice(0, 10)}`, most, wanted)
  const show = (lines: readonly LogLine[]) => print(lines, wanted, flags.json ?? false)
  await show(last)
  const following = ending?.signal ?? AbortSignal.abort()
  for (;;) {
    const lines = reader.read()
    if (lines.length > 0) await show(lines)
    else if (following.aborted) break
    else await systemClock.sleep(pollMs, following).catch(() => {})
  }
  // With `--follow` an incomplete line waits for its rest; otherwise a note says that there is more.
  if (ending === undefined) await show(reader.unfinishedLine())
  reader.close()
  tellUnknown(flags.strategy, names)
  return exitCodes.ok
}

/** The position of the first line to print, searched from the end, since a log may be long. */
function begin(folder: string, from: string, most: number, wanted: Wanted) {
  if (most === Infinity) return { reader: new LogReader(folder, from), lines: [] }
  const files = logFiles(folder).filter((name) => name >= from)
  for (let count = 1; ; count *= 2) {
    const reader = new LogReader(folder, files.at(-count) ?? from)
    const lines: LogLine[] = []
    for (let read = reader.read(); read.length > 0; read = reader.read()) {
      lines.push(...read.filter((line) => isWanted(line, wanted)))
      lines.splice(0, lines.length - most)
    }
    if (lines.length === most || count >= files.length) return { reader, lines }
    reader.close()
  }
}

/** A line that is no event does not count. */
function isWanted({ text }: LogLine, wanted: Wanted): boolean {
  const event = parsed(text)
  return event !== undefined && wanted(event)
}

function tellNothing(folder: string, waits: boolean): void {
  if (waits) {
    process.stderr.write(`No log in ${printable(folder)} yet: waiting for the first event\n`)
    return
  }
  throw new BotError('FILE_UNREADABLE', {
    seen: `${folder} holds no log`,
    fix: 'Start a bot with rungs run, or name its state folder with --state-dir',
  })
}

/** An empty result would look as if nothing had happened. */
function tellUnknown(strategy: string | undefined, names: ReadonlySet<string>): void {
  if (strategy === undefined || names.has(strategy)) return
  process.stderr.write(
    `No event belongs to strategy "${printable(strategy.slice(0, shownMax))}"${suggestion(strategy, [...names])}\n`,
  )
}

async function print(lines: readonly LogLine[], wanted: Wanted, asJson: boolean): Promise<void> {
  const width = columnsOf(process.stdout)
  const texts = lines.flatMap((line) => {
    const event = eventOf(line)
    if (event === undefined || !wanted(event)) return []
    return [asJson ? line.text : eventText(event, width)]
  })
  // A log may be longer than memory: the output waits for a slow reader.
  if (texts.length > 0 && !process.stdout.write(`${texts.join('\n')}\n`)) await once(process.stdout, 'drain')
}

/** A line that is no event, left by a crash or an edit, is printed to stderr; the other lines are printed. */
function eventOf({ file, number, text, whole }: LogLine): Said | undefined {
  const event = whole ? parsed(text) : undefined
  if (event === undefined) {
    const what = whole ? 'is not an event' : 'is incomplete'
    const shown = text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
    process.stderr.write(`${printable(file)}:${number} ${what}: ${printable(shown)}\n`)
  }
  return event
}

function parsed(text: string): Said | undefined {
  const value = jsonIn(text)
  return isSaid(value) ? value : undefined
}

function isSaid(value: unknown): value is Said {
  if (!isRecord(value)) return false
  const { level, time, type } = value
  return typeof time === 'string' && typeof type === 'string' && levels.some((known) => known === level)
}

import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import type { Request } from '#src/research/replay/divergence.ts'
import { readTape, type RecordedTape } from '#src/research/recording/read-tape.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { printFaulty } from '#src/cli/words/problems-text.ts'
import { reportError } from '#src/cli/program/error-text.ts'
import { divergenceText, explained } from './divergence-text.ts'
import { playTape, strategiesOf, type Played } from '#src/research/replay/play-tape.ts'
import { readStrategies, refuseTwins, type StrategyFile } from '#src/runtime/compose/strategy-files.ts'
import { Unfit } from '#src/runtime/compose/trading.ts'

export type ReplayFlags = { json?: boolean; loose?: boolean }

/** `rungs replay TAPE STRATEGY…`: repeats a run against the recorded answers. Nothing is sent. */
export async function replay(path: string, paths: readonly string[], flags: ReplayFlags): Promise<number> {
  const { json = false, loose = false } = flags
  const tape = readTape(path)
  for (const note of tape.notes) process.stderr.write(`${printable(note)}\n`)
  if (tape.begin.run === undefined && !loose) {
    throw new BotError('TAPE_INVALID', {
      seen: `${path} is not a tape of rungs run and does not hold the order of events`,
      fix: 'Match requests by content: add --loose',
    })
  }
  const { files, faulty } = readStrategies(paths, () => [])
  if (faulty.length > 0) return printFaulty(faulty)
  refuseTwins(files)
  const chosen = files.length > 0 ? files : strategiesOf(tape, path)
  if (chosen.length === 0) {
    throw usage(`${path} holds no strategy`, 'Pass a strategy file after the tape')
  }
  const unsent = new Set<string>()
  const onUnsent = (request: Request) => {
    const { method, path: called, body } = request
    const line = json
      ? JSON.stringify({ type: 'unsent', ...request })
      : printable(`would send: ${method} ${called} ${JSON.stringify(body)}`)
    // Repeated requests are printed once.
    if (unsent.has(line)) return
    unsent.add(line)
    process.stdout.write(`${line}\n`)
  }
  const played = await playTape(tape, chosen, { loosely: loose ? { onUnsent } : undefined })
  if (played.failure instanceof Unfit) return printFaulty(played.failure.faulty)
  const code = loose ? tellLoosely(played, unsent.size, json) : tell(played, { tape, files, json })
  return code === exitCodes.ok && !tape.whole ? tellCutOff(tape, path) : code
}

/** The requests before the cut were compared. The rest of the recording is missing, so the result is not a success. */
function tellCutOff({ events }: RecordedTape, path: string): number {
  const last = events.length + 1
  process.stderr.write(
    `${printable(path)} is not complete: its end is missing after line ${last}, which was not compared.\n`,
  )
  return exitCodes.findings
}

function tell(
  played: Played,
  about: { tape: RecordedTape; files: readonly StrategyFile[]; json: boolean },
): number {
  const { playback, state, failure } = played
  const { requests, matched } = playback
  const divergence = playback.divergence && explained(playback.divergence, state)
  if (about.json) process.stdout.write(`${JSON.stringify({ requests, matched, divergence })}\n`)
  else if (divergence === null) process.stdout.write(`All ${matched} requests match the tape.\n`)
  else {
    const changed = changedFiles(about.files, about.tape)
    const lines = [
      `${matched} requests match the tape.`,
      ...changed,
      divergenceText(divergence, 'First difference:'),
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
  }
  if (divergence !== null) return exitCodes.findings
  // A run that failed then fails again: the tape holds the cause.
  if (failure !== undefined) reportError(failure)
  return exitCodes.ok
}

function tellLoosely({ playback, failure }: Played, unsent: number, json: boolean): number {
  const { requests, matched } = playback
  const line = json
    ? JSON.stringify({ requests, matched, divergence: null, unsent })
    : `${matched} of ${requests} requests have an answer on the tape; ${unsent} different requests would place or cancel orders.`
  process.stdout.write(`${line}\n`)
  return failure === undefined ? exitCodes.ok : reportError(failure)
}

function changedFiles(files: readonly StrategyFile[], { begin }: RecordedTape): string[] {
  const texts = new Set(begin.run?.strategies.map(({ text }) => text))
  return files
    .filter(({ read }) => !texts.has(read.text()))
    .map(({ path }) => `${printable(path)} is not the file of the recording.`)
}

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import type { State } from '#src/engine/state/state.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import type { Divergence } from '#src/research/replay/divergence.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { printFaulty } from '#src/cli/words/problems-text.ts'
import { reportError } from '#src/cli/program/error-text.ts'
import { divergenceText, explained, type Explained } from './divergence-text.ts'
import { playTape, strategiesOf } from '#src/research/replay/play-tape.ts'
import { Unfit } from '#src/runtime/compose/trading.ts'

/** `rungs verify FOLDER|TAPE…`: whether this version behaves like the version of the recording. */
export async function verify(
  paths: readonly string[],
  { json = false }: { json?: boolean },
): Promise<number> {
  let [different, unread] = [0, 0]
  for (const path of paths.flatMap(tapesIn)) {
    try {
      if (!(await isSame(path, json))) different += 1
    } catch (error) {
      if (!(error instanceof BotError)) throw error
      // An unreadable tape does not stop the others.
      unread = reportError(error)
    }
  }
  if (unread > 0) return unread
  return different > 0 ? exitCodes.findings : exitCodes.ok
}

async function isSame(path: string, json: boolean): Promise<boolean> {
  const tape = readTape(path)
  for (const note of tape.notes) process.stderr.write(`${printable(path)}: ${printable(note)}\n`)
  if (tape.begin.run === undefined) {
    throw new BotError('TAPE_INVALID', { seen: `${path} is a tape of ${tape.begin.rungs}, not of rungs run` })
  }
  const differences: Explained[] = []
  const onDifference = (found: Divergence, state: State) => void differences.push(explained(found, state))
  const looking = { most: differencesMost, onDifference }
  const { playback, failure } = await playTape(tape, strategiesOf(tape, path), { looking })
  // A run that failed then fails again. Impossible steps are reported as such.
  if (failure !== undefined && !(failure instanceof BotError || failure instanceof Unfit)) throw failure
  const faulty = failure instanceof Unfit ? failure.faulty : []
  printFaulty(faulty)
  const { requests, matched } = playback
  const [divergence = null] = differences
  const same = divergence === null && faulty.length === 0
  const text = same
    ? `the same${tape.whole ? '' : ' up to the cut'}`
    : `different; recorded with rungs ${tape.begin.rungs}`
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`
  const asked = tape.events.filter(({ kind }) => kind === 'call' || kind === 'unfinished').length
  const left = asked - requests
  const lines = json
    ? [JSON.stringify({ tape: path, requests, matched, divergence, differences })]
    : [
        `${printable(path)}: ${matched} requests, ${text}${divergence === null ? '' : `: ${count}`}`,
        ...differences.map((each, at) =>
          divergenceText(each, at === 0 ? 'First difference:' : 'Next difference:'),
        ),
        ...(divergence === null || left <= 0
          ? []
          : [`${left} later requests of the tape were not compared.`]),
      ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return same && tape.whole
}

const ending = '.tape'
const differencesMost = 20

function tapesIn(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path]
  const tapes = readdirSync(path)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(path, name))
  if (tapes.length > 0) return tapes
  throw usage(`${path} holds no tape`, `Name tapes, or a folder of files that end in ${ending}`)
}

import { z } from 'zod'
import { BotError } from '#src/core/errors/bot-error.ts'
import { HashChain } from '#src/core/log/hash-chain.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import { readForeign } from './foreign-recordings.ts'
import { tapeBytes } from './tape-bytes.ts'
import { tapeChain, unchained } from './tape-chain.ts'
import { tapeLine, tapeVersion, type TapeBegin, type TapeEvent, type TapeLine } from './tape.ts'

export type RecordedTape = {
  begin: TapeBegin
  events: TapeEvent[]
  /** Sentences for the user: that the tape was cut off, or what was ignored. */
  notes: string[]
  /** The tape has its end line. */
  whole: boolean
}

/** Files of other recorders are one JSON value and are parsed at once. */
const foreignBytesMax = 2 ** 28
const ourBeginning = Buffer.from('{"kind":"tape",')
const newline = 0x0a
const anyVersion = z.looseObject({ kind: z.literal('tape'), version: z.int(), rungs: z.string() })

/** Reads a tape, compressed or not, complete or truncated, or a file of another recorder. The content decides. */
export function readTape(path: string): RecordedTape {
  const bytes = tapeBytes(path)
  if (ourBeginning.equals(bytes.subarray(0, ourBeginning.length))) return tapeOf(path, bytes)
  const foreign =
    bytes.length < foreignBytesMax ? readForeign(jsonIn(new TextDecoder().decode(bytes))) : undefined
  const known = 'a tape, a HAR file, or snapshots of undici'
  if (foreign === undefined)
    throw new BotError('TAPE_INVALID', { seen: `${path} does not start like ${known}` })
  if (foreign.events.length > 0) return foreign
  const seen = [`${path} holds no call of this API`, ...foreign.notes].join('; ')
  throw new BotError('TAPE_INVALID', { seen })
}

function tapeOf(path: string, bytes: Buffer): RecordedTape {
  const lines: TapeLine[] = []
  const chain = new HashChain(tapeChain)
  let start = 0
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    lines.push(lineOf(path, chain, bytes.subarray(start, end)))
    start = end + 1
  }
  const [begin, ...rest] = lines
  if (begin === undefined) throw new BotError('TAPE_INVALID', { seen: `${path} has no complete line` })
  if (begin.kind !== 'tape') throw invalid(path, 1, 'it does not start like a tape')
  return { begin, ...eventsOf(path, rest, start < bytes.length) }
}

function eventsOf(path: string, rest: TapeLine[], torn: boolean): Omit<RecordedTape, 'begin'> {
  const ended = rest.at(-1)?.kind === 'end' && !torn
  const events = (ended ? rest.slice(0, -1) : rest).map((line, index) => {
    if (line.kind === 'tape' || line.kind === 'end')
      throw invalid(path, index + 2, `it has a "${line.kind}" line inside`)
    return line
  })
  const where = torn ? `in the middle of line ${rest.length + 2}` : `after line ${rest.length + 1}`
  return {
    events,
    whole: ended,
    notes: ended ? [] : [`The tape was cut off ${where}; all lines before are read`],
  }
}

function lineOf(path: string, chain: HashChain, line: Buffer): TapeLine {
  const number = chain.seq + 1
  if (number === 1) refuseOtherFormat(path, line.toString())
  const object = unchained(chain, line)
  if (object === undefined) throw altered(path, number)
  const read = tapeLine.safeParse(jsonIn(`${object.toString()}}`))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw invalid(path, number, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

/** Checked before the hash chain, which another format may compute differently. */
function refuseOtherFormat(path: string, text: string): void {
  const first = anyVersion.safeParse(jsonIn(text)).data
  if (first === undefined) throw invalid(path, 1, 'it does not start like a tape')
  if (first.version === tapeVersion) return
  const written = `rungs ${first.rungs} wrote ${path} in format ${first.version}`
  const seen = `${written}, and this version reads format ${tapeVersion}`
  throw new BotError('TAPE_INVALID', {
    seen,
    fix: 'Read it with the version that wrote it, or with a newer one',
  })
}

function altered(path: string, number: number): BotError {
  return new BotError('TAPE_INVALID', {
    seen: `${path}:${number}: the hash chain is broken: this line was edited, or a line before was removed`,
    fix: 'Use an original copy, or record again',
  })
}

function invalid(path: string, number: number, what: string): BotError {
  return new BotError('TAPE_INVALID', { seen: `${path}:${number}: ${what}` })
}

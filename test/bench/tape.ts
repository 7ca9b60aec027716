import { deepEqual, equal, fail } from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { TapeWriter } from '#src/research/recording/tape-writer.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'
import { note, report } from './runner/report.ts'

/**
 * How fast tapes are written, closed and read: the lines of a real run with all strategies, over and over. Reading is also
 * compared with the least code that could do it, which parses each line and looks at nothing. Both must say the same.
 */
const linesWanted = 300_000
const rounds = 5

using folder = temporaryFolder()
const strategies = readdirSync('strategies')
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `strategies/${name}`)
const state = ['--state-dir', folder.file('state')]
const run = await rungs(['run', ...strategies, ...state, '--for', '6s', '--record', folder.file('run.tape')])
equal(run.code, 0, run.stderr)
const { begin, events } = readTape(folder.file('run.tape'))

const path = folder.file('long.tape')
const { run: _, kind: __, version: ___, ...about } = begin
const secrets = [new Secret('the-key-of-nobody-0042'), new Secret(`the secret of nobody ${'Zq9'.repeat(12)}`)]
const tape = new TapeWriter({
  path,
  begin: { ...about, venue: 'http://127.0.0.1' },
  secrets,
  onTrouble: fail,
})
const copies = Math.ceil(linesWanted / events.length)
const lines = copies * events.length + 2
const written = await seconds(async () => {
  for (let copy = 0; copy < copies; copy += 1) {
    for (const event of events) tape.write(event)
    // As often as a bot gives the loop a turn, more or less.
    await new Promise((resolve) => setImmediate(resolve))
  }
})
const closed = await seconds(() => tape.close(0))

const text = zstdDecompressSync(readFileSync(path)).toString().trimEnd()
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
note(`${lines} lines, ${mebibytes(text.length)} MiB, packed ${mebibytes(statSync(path).size)} MiB`)
const perSecond = (time: number) => ({ ours: Math.round(lines / time), unit: 'lines a second' })
report({ what: 'lines that are written', ...perSecond(written) })
report({ what: 'lines that are searched and packed', ...perSecond(closed) })

const bareText = () =>
  zstdDecompressSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
{
  const read = readTape(path).events
  equal(read.length, lines - 2)
  deepEqual(read.slice(-events.length), events)
  const bare = bareText()
  equal(bare.length, lines)
  const { chain: _, ...last } = Object(bare.at(-2))
  deepEqual(last, events.at(-1))
}
const times = { tape: Infinity, bare: Infinity }
for (let round = 0; round < rounds; round += 1) {
  times.tape = Math.min(times.tape, await seconds(() => readTape(path)))
  times.bare = Math.min(times.bare, await seconds(bareText))
}
const read = perSecond(times.tape)
report({
  what: 'a tape that is read, against JSON.parse alone',
  ours: 1000 * times.tape,
  floor: 1000 * times.bare,
  ratio: times.tape / times.bare,
  unit: 'ms',
  atMost: 1.5,
  detail: `${read.ours} ${read.unit}`,
})

/** Of CPU, whatever else the machine does. */
async function seconds(act: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

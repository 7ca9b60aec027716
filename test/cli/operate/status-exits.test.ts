import { stripVTControlCharacters } from 'node:util'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { EngineHarness } from '#test/engine/support/engine-harness.ts'
import { heldDips } from '#test/cli/support/held-dips.ts'
import { journalOf } from '#test/cli/support/journal-of.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const { isTTY, columns } = process.stdout
afterEach(() => Object.assign(process.stdout, { isTTY, columns }))

const exits = [
  'stop: { pct: 5% }',
  'trail: { activate: 2%, retrace: 1% }',
  'break_even: { activate: 1% }',
  'tp: { pct: 4% }',
  'max_age: 12h',
  'cooldown: 1h',
]
/** One buy at 60000 with every exit that waits for a price or a time. */
const held = () =>
  heldDips({ levels: 1, spacing: '{ kind: offsets, at: [0%] }', exit: `{ ${exits.join(', ')} }` })

const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('  dip.'))
const statusOf = async (harness: EngineHarness) =>
  (await rungsHere(['status', '--state-dir', journalOf(harness, folder.path)])).stdout

test('status says what each exit does at its price, how far away that is, and when max_age ends', async () => {
  const harness = held()
  const before = await statusOf(harness)
  const due = new Date(harness.at + 12 * 3_600_000 - 1).toISOString().slice(0, 16)
  expect(rowsOf(before).map((line) => line.replaceAll(/ {2,}/g, ' '))).toEqual([
    ' dip.st stop sell 0.05 at 57000, 4.99 % below the bid 59999; without an order at the venue',
    ' dip.tr trail sell 0.05, becomes active at 61200, 2.00 % above the bid 59999; without an order at the venue',
    ' dip.be break_even sell 0.05, becomes active at 60600, 1.00 % above the bid 59999; without an order at the venue',
    expect.stringMatching(
      ` dip.ag max_age sell 0.05 at ${due}:\\d\\dZ, in 12 h; without an order at the venue`,
    ),
    ' dip.t1 take_profit sell 0.05 at 62400, 4.00 % above the bid 59999; without an order at the venue',
  ])
  harness.settle(harness.quote('BTC_PERP', 61_800))
  const rows = rowsOf(await statusOf(harness)).join('\n')
  expect(rows).toMatch(/dip\.tr +trail +sell 0\.05 at 61181\.01, 1\.00 % below the bid 61799; /)
  expect(rows).toMatch(/dip\.be +break_even +sell 0\.05 at 60000, 2\.91 % below the bid 61799; /)
})

test('why of an exit says how far its price is, and when max_age ends', async () => {
  const place = journalOf(held(), folder.path)
  const why = async (label: string) =>
    (await rungsHere(['why', `dips.dip.${label}`, '--state-dir', place])).stdout
  expect(await why('tr')).toMatch(
    /^exit, trail: sell 0\.05, becomes active at 61200, 2\.00 % above the bid 59999$/m,
  )
  expect(await why('ag')).toMatch(/^exit, max_age: sell 0\.05 at .*T.*Z, in 12 h$/m)
})

test('a long reason continues under its column on a terminal, and is one line in a file', async () => {
  const harness = held()
  const reason =
    'the desk waits for the release of the numbers of the labour market, and for the answer of the risk team'
  harness.settle(harness.tell({ kind: 'operator', act: 'halt', strategy: 'dips', reason }))
  const place = journalOf(harness, folder.path)
  const piped = await rungsHere(['status', '--state-dir', place])
  expect(piped.stdout).toContain(`  halted: ${reason}.`)
  Object.assign(process.stdout, { isTTY: true, columns: 80 })
  for (const words of [['status'], ['why', 'dips'], ['why', 'dips.dip.tr']]) {
    const { stdout } = await rungsHere([...words, '--state-dir', place])
    for (const line of stripVTControlCharacters(stdout).split('\n'))
      expect(line.length, line).toBeLessThanOrEqual(80)
  }
  const shown = stripVTControlCharacters((await rungsHere(['status', '--state-dir', place])).stdout)
  expect(shown).toMatch(/^ {2}halted: the desk waits [^\n]*\n {10}\S/m)
  expect(shown).toMatch(/^ {2}dip\.tr {2}trail {8}sell 0\.05, becomes active[^\n]*\n {23}\S/m)
  const { stdout } = await rungsHere(['why', 'dips.dip.tr', '--state-dir', place])
  expect(stdout).toMatch(/^ {2}because it trails [^\n]*\n {10}\S/m)
})

import { afterAll, describe, expect, test } from 'vitest'
import { EngineHarness, fileOf, minute, restingGrid, venue } from '#test/engine/support/engine-harness.ts'
import { journalOf } from '#test/cli/support/journal-of.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { heldDips } from '#test/cli/support/held-dips.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** The output of `rungs why` for this engine. */
function why(harness: EngineHarness, what: string, ...words: string[]) {
  return rungsHere(['why', what, ...words, '--state-dir', journalOf(harness, folder.path)])
}

/** Three buys, the first of which has filled: its stop waits at the venue, and its take profit is watched. */
function protectedBuys(): EngineHarness {
  return heldDips(
    {
      levels: 3,
      spacing: '{ kind: arithmetic, first: 1%, step: 1% }',
      exit: '{ stop: { pct: 5%, mode: resting }, tp: { pct: 2% } }',
    },
    { capabilities: [...venue.capabilities, 'conditional_orders'] },
  )
}

describe('why of a strategy', () => {
  test('shows the exits of a position, with their prices, and whether their orders are at the venue', async () => {
    const { stdout } = await why(protectedBuys(), 'dips.dip')
    expect(stdout).toMatch(
      /^ {2}dip\.st +stop +sell 0\.016835 at 56430, 5\.94 % below the bid 59999; its order is at the venue$/m,
    )
    expect(stdout).toMatch(
      /^ {2}dip\.t1 +take_profit +sell 0\.016835 at 60588, 0\.98 % above the bid 59999; without an order at the venue$/m,
    )
  })

  test('shows the values of rules at the time of the journal, and that time', async () => {
    const harness = new EngineHarness([fileOf('static-grid')])
    harness.quote('BTC_USDT', 70_000)
    harness.candle('BTC_USDT', '1m', 70_000)
    harness.wait(minute)
    // No rule becomes true or false, so no new decision is recorded.
    harness.candle('BTC_USDT', '1m', 71_000)
    const { stdout } = await why(harness, 'sgrid.grid')
    expect(stdout).toContain(`  rules at ${new Date(harness.at).toISOString()}:`)
    expect(stdout).toMatch(/price.* 71000$/m)
  })

  test('suggests the whole name of a ladder', async () => {
    expect(await why(restingGrid(), 'grid')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(
        'did you mean the ladder "grid"?\nfix: Write the ladder behind its strategy: rungs why sgrid.grid',
      ),
    })
    expect((await why(protectedBuys(), 'dop')).stderr).toContain('did you mean the ladder "dip"?')
  })

  test('prints for each rung without an order the reason, and what would change it', async () => {
    for (const what of ['sgrid', 'sgrid.grid']) {
      const { code, stdout } = await why(restingGrid(), what)
      expect(code).toBe(0)
      expect(stdout).toMatch(/^sgrid\n {2}no bot runs in this folder/)
      expect(stdout).toMatch(/^grid: goal ensure, 12 of 20 rungs resting$/m)
      expect(stdout).toMatch(/^ {2}b7 b8 b9 b10 s7 s8 s9 s10: .*5%\n {4}next: the price must come closer$/m)
    }
  })

  test('shows what differs between rungs of one reason for the first and the last of them', async () => {
    const harness = new EngineHarness([fileOf('static-grid')])
    harness.quote('BTC_USDT', 58_000)
    harness.settle(harness.candle('BTC_USDT', '1m', 58_000))
    const { stdout } = await why(harness, 'sgrid.grid')
    expect(stdout).toContain(
      [
        '  b1 b2 b3:',
        '    b1: the market price 58001 is beyond this rung',
        '      next: a price above 59500 allows the order',
        '    b3: the market price 58001 is beyond this rung',
        '      next: a price above 58500 allows the order',
      ].join('\n'),
    )
  })

  test('prints halts, pauses and stops with reason and fix', async () => {
    const harness = restingGrid()
    harness.settle(harness.tell({ kind: 'operator', act: 'halt', strategy: 'sgrid', reason: 'tea' }))
    harness.settle(harness.tell({ kind: 'operator', act: 'stop', reason: 'lunch' }))
    const { stdout } = await why(harness, 'sgrid')
    const text = stdout.replaceAll(/\s+/g, ' ')
    expect(text).toContain('halted: tea. ')
    expect(text).toContain('fix: rungs resume sgrid')
    expect(text).toContain('all strategies are stopped: lunch. ')
    expect(text).toMatch(/b1 b2 .*: all strategies are stopped: lunch/)
  })

  test('names stale feeds, and the rule that waits for them', async () => {
    const harness = new EngineHarness([fileOf('static-grid')])
    harness.quote('BTC_USDT', 60_000)
    harness.wait(1000)
    const { stdout } = await why(harness, 'sgrid')
    expect(stdout).toContain('  feed px is unknown: nothing was received yet\n')
    expect(stdout).toContain('grid: goal none, 0 of 20 rungs resting\n')
    expect(stdout).toMatch(/next: rule place needs .*, which is unknown/)
    expect(stdout).toMatch(/^ {2}rule place is unknown$/m)
    const late = restingGrid()
    late.wait(10 * minute)
    expect((await why(late, 'sgrid')).stdout).toMatch(/feed px is unknown: 60\d s old, stale after \d+ s/)
  })

  test('names only rules that act on the asked ladder, or stop the strategy', async () => {
    const text = fileOf('static-grid')
      .replace(
        'rules:\n',
        `  deep:
    market: btc
    side: buy
    anchor: 50000
    levels: 1
    spacing: { kind: offsets, at: [0%] }
    size: { total: 50 quote }

rules:
  - { id: deep_on, when: price < 51000, do: [ensure: deep] }
  - { id: deep_off, when: price > 52000, do: [freeze: deep] }
  - { id: note, when: price < 53000, do: [alert: cheap] }
  - { id: calm, when: price < 40000, do: [alert: crash, pause_entries: crash] }
  - { id: crash, when: price < 30000, do: [halt: crash] }
`,
      )
      .replace('stopOnFail: false', 'stopOnFail: { grid: false, deep: false }')
    const harness = new EngineHarness([text])
    harness.quote('BTC_USDT', 60_000)
    harness.wait(1000)
    const rulesOf = async (what: string) =>
      [...(await why(harness, what)).stdout.matchAll(/^ {2}rule (\w+) is/gm)].map(([, id]) => id)
    expect(await rulesOf('sgrid.grid')).toEqual(['calm', 'crash', 'place', 'out'])
    expect(await rulesOf('sgrid.deep')).toEqual(['deep_on', 'deep_off', 'calm', 'crash'])
  })

  test('prints the same as one line of JSON', async () => {
    const { stdout } = await why(restingGrid(), 'sgrid', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      strategy: 'sgrid',
      process: false,
      running: true,
      stopped: null,
      halted: null,
      pauses: {},
      investing: null,
      feeds: [{ name: 'px', isKnown: true }],
      ladders: [
        {
          name: 'grid',
          goal: 'ensure',
          resting: 12,
          obstacles: [{ levels: expect.arrayContaining(['b7']) }],
        },
      ],
    })
  })

  test('names the existing ones for an unknown strategy or ladder', async () => {
    expect(await why(restingGrid(), 'sgird')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(
        'there is no strategy "sgird", did you mean "sgrid"?\nfix: Use one of sgrid',
      ),
    })
    expect(await why(restingGrid(), 'sgrid.gird')).toMatchObject({
      code: 64,
      stderr: expect.stringContaining(
        'there is no ladder in sgrid "gird", did you mean "grid"?\nfix: Use one of grid',
      ),
    })
    expect(await why(restingGrid(), '__proto__')).toMatchObject({ code: 64 })
    expect(await why(restingGrid(), 'sgrid.')).toMatchObject({ code: 64 })
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Decimal } from '#src/core/money/decimal.ts'
import {
  accepted,
  EngineHarness,
  hour,
  minute,
  restingGrid,
  trailingBuys,
} from '#test/engine/support/engine-harness.ts'
import { moved, named } from '#test/engine/support/amended-quotes.ts'
import { journalOf } from '#test/cli/support/journal-of.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'rungs-why-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Average entry of a strategy with one fill, a trailing exit and a stop of six percent. */
let entry: string | null = null

beforeAll(() => {
  const harness = trailingBuys()
  harness.at += 100
  journalOf(harness, folder, 'nothing')
  harness.settle(harness.quote('BTC_PERP', Number(harness.order('tvol.trail.1.1').price), 0.02))
  harness.fill('tvol.trail.1.1')
  entry = harness.ladder('tvol', 'trail').held.entry
  journalOf(harness, folder, 'held')
  harness.at += 100
  harness.quote('BTC_PERP', Math.floor(Number(entry) * 94) / 100, 0.02)
  journalOf(harness, folder, 'left')
})

const why = (state: string, what: string) => rungsHere(['why', what, '--state-dir', join(folder, state)])

test('an unsent exit has its price, and what it waits for', async () => {
  const { code, stdout } = await why('held', 'tvol.trail.st')
  const stop = (Math.floor(Number(entry) * 94) / 100).toFixed(2)
  expect({ code, lines: stdout.split('\n') }).toEqual({
    code: 0,
    lines: [
      'tvol.trail.st',
      expect.stringMatching(`^exit, stop: sell 0.00238 at ${stop}, \\d\\.\\d\\d % below the bid \\d+`),
      expect.stringMatching(
        `^  because the stop is at ${stop}, 6.00 % below the average entry; position 0.00238, average entry ${entry}; bid \\d+`,
      ),
      '',
    ],
  })
})

test('without a position there is no exit, and other labels are unknown', async () => {
  const { code, stdout } = await why('nothing', 'tvol.trail.tr')
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'tvol.trail.tr\nexit, trail\n  because the position is flat, so there is nothing to exit\n',
  })
  expect(await why('nothing', 'tvol.trail.ag')).toMatchObject({ code: 64 })
})

test('a sent exit has its reason, by label and by order, but no rules of entries', async () => {
  for (const what of ['tvol.trail.st', 'tvol.trail.st.1']) {
    const { code, stdout } = await why('left', what)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^tvol\.trail\.st\.1$/m)
    expect(stdout).toMatch(/because the stop is at .+, 6\.00 % below .+; bid \d+/)
    expect(stdout).toMatch(/^sent at .+\n.+\n  priority exits, stopOnFail false$/m)
    expect(stdout).not.toContain('rule')
  }
})

test('an amended order names the order in whose place it is, and that one names it', async () => {
  const { harness, step } = moved()
  harness.settle(step, named)
  journalOf(harness, folder, 'amended')
  const first = await why('amended', 'mm.asks.1.1')
  expect(first.stdout).toMatch(
    /^at the venue, mm\.asks\.1\.2 has this client order id: rungs why mm\.asks\.1\.2$/m,
  )
  const { stdout } = await why('amended', 'mm.asks.1.2')
  expect(stdout).not.toContain('has this client order id')
  expect(stdout).toMatch(
    /^sent at .+\n  in the place of mm\.asks\.1\.1, whose client order id mm\.asks\.1\.1 it has at the venue$/m,
  )
})

test.each([
  '__proto__.x.y',
  'constructor.x.y',
  'tvol.__proto__.y',
  'tvol.trail.__proto__',
  '__proto__.x.y.1',
])('rungs why %s reports that the journal has no such record', async (what) => {
  const { code, stderr } = await rungsHere(['why', what, '--state-dir', join(folder, 'held')])
  expect({ code, stderr }).toEqual({
    code: 64,
    stderr: expect.stringMatching(/the journal knows nothing of|has no rung __proto__/),
  })
})

/** A grid after the fill of its nearest buy, and the step that sends its mirror. */
function filledGrid() {
  const harness = restingGrid()
  harness.at += 100
  return { harness, step: harness.fill('sgrid.grid.b1.1') }
}

async function whyMirror(harness: EngineHarness, name: string, what = 'sgrid.grid.mb1') {
  journalOf(harness, folder, name)
  const { code, stdout } = await why(name, what)
  return { code, lines: stdout.split('\n').slice(0, 3) }
}

function told(state: string, left: string, reason: string) {
  return {
    code: 0,
    lines: ['sgrid.grid.mb1.1', `exit, mirror: sell ${left} at 60000: ${state}`, `${because}${reason}`],
  }
}

const because = '  because it is the other side of b1, which has filled; '

test('a mirror is sent, resting, partly filled or filled, also hours later', async () => {
  const { harness, step } = filledGrid()
  const amount = harness.order('sgrid.grid.mb1.1').amount
  expect(await whyMirror(harness, 'mirror-sent')).toEqual(
    told('sent', amount, 'sgrid.grid.mb1.1 is in flight'),
  )
  harness.settle(step)
  expect(await whyMirror(harness, 'mirror-rests')).toEqual(
    told('resting', amount, 'sgrid.grid.mb1.1 is open at the venue'),
  )
  expect(await whyMirror(harness, 'mirror-by-id', 'sgrid.grid.mb1.1')).toEqual(
    await whyMirror(harness, 'mirror-by-label'),
  )
  harness.settle(harness.fill('sgrid.grid.mb1.1', 0.5))
  const half = harness.order('sgrid.grid.mb1.1').filled
  expect(await whyMirror(harness, 'mirror-half')).toEqual(
    told(
      'resting',
      String(Number((Number(amount) - Number(half)).toFixed(6))),
      `sgrid.grid.mb1.1 is open at the venue, ${half} of ${amount} filled, ${half} left`,
    ),
  )
  harness.settle(harness.fill('sgrid.grid.mb1.1'))
  for (const name of ['mirror-filled', 'mirror-filled-long-ago']) {
    expect(await whyMirror(harness, name)).toEqual(
      told('filled', amount, `sgrid.grid.mb1.1 has filled: ${amount} at 60000`),
    )
    for (let waited = 0; waited < 3; waited++) harness.settle(harness.wait(hour))
  }
})

test('a refused mirror waits, with the time of its retry', async () => {
  const { harness, step } = filledGrid()
  const refused = { kind: 'refused', code: 10, message: 'Not enough balance', alreadyUsed: false } as const
  harness.settle(step, (order) => (order.level === 'mb1' ? refused : accepted(order)))
  const { lines } = await whyMirror(harness, 'mirror-waits')
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^exit, mirror: sell \S+ at 60000: waits$/),
    `${because}it waits: the venue or a limit refused its order; retry in 1 s`,
  ])
})

test('a rung has the profit of its matched pairs, and so does the status of its strategy', async () => {
  const harness = restingGrid()
  harness.settle(harness.fill('sgrid.grid.b1.1'))
  harness.settle(harness.wait(1000))
  harness.settle(harness.fill('sgrid.grid.mb1.1'))
  harness.settle(harness.wait(1000))
  journalOf(harness, folder, 'paired')
  const [bought, sold] = ['b1', 'mb1'].map((level) => harness.order(`sgrid.grid.${level}.1`))
  const made = new Decimal(sold?.money ?? NaN).minus(bought?.money ?? NaN).toFixed(2)
  const { stdout } = await why('paired', 'sgrid.grid.b1')
  expect(stdout).toContain(`\nmatched pairs 1, grid profit ${made}, nothing open\n`)
  expect((await why('paired', 'sgrid.grid.b2')).stdout).not.toContain('matched pairs')
  const status = await rungsHere(['status', 'sgrid', '--state-dir', join(folder, 'paired')])
  expect(status.stdout).toContain(`\n  grid profit ${made} of 1 matched pair, floating `)
  expect(status.stdout).toMatch(/\n {2}grid\.b1 +pairs 1 +profit [\d.]+ +open 0 +floating 0\.00\n/)
})

/** A buy that follows the price, and its order `dip.buy.1.1` at 60000. */
function followingBuy(life = '') {
  const harness = new EngineHarness([
    [
      'version: 1',
      'name: dip',
      'markets: { btc: BTC_USDT }',
      'feeds: { px: { source: candles, market: btc, interval: 1m } }',
      'ladder:',
      '  buy:',
      '    market: btc',
      '    side: buy',
      '    anchor: last(px)',
      `    rebase: { drift: 0.02%, min_gap: 10s${life} }`,
      '    levels: 1',
      '    spacing: { kind: offsets, at: [0%] }',
      '    size: { total: 25 quote }',
      '    exit: { tp: { pct: 4.21%, mode: resting } }',
      'rules: [{ id: place, when: last(px) > 0, do: [ensure: buy] }]',
      'risk:',
      '  max_notional: { btc: 1500 }',
      '  worst_case: { move: -50%, max_loss: 1500 }',
      '  drawdown: { pause: 99%, halt: 100% }',
    ].join('\n'),
  ])
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.candle('BTC_USDT', '1m', 60_000))
  return harness
}

/** The order `dip.buy.1.1` has filled at 60000, and its rung has moved to 60600. */
function movedBuy() {
  const harness = followingBuy()
  harness.settle(harness.fill('dip.buy.1.1'))
  harness.at += minute
  harness.settle(harness.candle('BTC_USDT', '1m', 60_600))
  expect(harness.ladder('dip', 'buy')).toMatchObject({ anchor: '60600', rungs: [{ price: '60600' }] })
  harness.settle(harness.wait(1000))
  return harness
}

test('a filled order has its own price after its rung has moved, and the anchor of its time', async () => {
  journalOf(movedBuy(), folder, 'moved')
  for (const what of ['dip.buy.1.1', 'dip.buy.1']) {
    const { stdout } = await why('moved', what)
    expect(stdout).toContain('\nbuy 0.000416 at 60000: filled\n')
    expect(stdout).toContain('  notional 24.96, 0.000 % above the anchor 60000\n')
  }
})

test('a moved rung tells how long min_life keeps its order', async () => {
  const harness = followingBuy(', min_life: 2m')
  harness.at += minute
  harness.settle(harness.candle('BTC_USDT', '1m', 60_600))
  harness.settle(harness.wait(1000))
  journalOf(harness, folder, 'young')
  const { stdout } = await why('young', 'dip.buy.1')
  expect(stdout).toContain(
    [
      'dip.buy.1.1',
      'buy 0.000416 at 60000: resting',
      '  notional 24.96, 0.000 % above the anchor 60000',
      '  because dip.buy.1.1 is still open for this level, at 60000 instead of 60600',
      '  next: the bot cancels it in 59 s, when it is 2m old (min_life)\n',
    ].join('\n'),
  )
})

test('a sent order whose decision is lost has its own price, and no anchor', async () => {
  journalOf(movedBuy(), folder, 'lost')
  const database = new DatabaseSync(join(folder, 'lost', 'journal.sqlite'))
  database.exec('DELETE FROM decisions WHERE seq <= (SELECT min(seq) + 1 FROM sendings)')
  database.close()
  for (const what of ['dip.buy.1.1', 'dip.buy.1']) {
    const { stdout } = await why('lost', what)
    expect(stdout).toContain('\nbuy 0.000416 at 60000: filled\n')
    expect(stdout).toContain('  notional 24.96\n')
  }
})

test('only rungs with a resting order count as resting: not those with a resting exit', async () => {
  const harness = followingBuy()
  harness.settle(harness.fill('dip.buy.1.1'))
  harness.settle(harness.wait(1000))
  expect(harness.resting()).toEqual(['dip.buy.t1.1'])
  journalOf(harness, folder, 'filled')
  expect((await why('filled', 'dip.buy')).stdout).toContain('buy: goal ensure, 0 of 1 rungs resting\n')
  const status = await rungsHere(['status', '--state-dir', join(folder, 'filled')])
  expect(status.stdout).toMatch(/^ {2}buy +ensure +0 of 1 resting/m)
})

test('the decision of an order is that which sent it, and the decision of a rung is the latest', async () => {
  const harness = followingBuy()
  harness.at += minute
  harness.settle(harness.fill('dip.buy.1.1'))
  journalOf(harness, folder, 'decisions')
  const [rung, order] = [await why('decisions', 'dip.buy.1'), await why('decisions', 'dip.buy.1.1')]
  expect(order.stdout).toContain(
    '\ndecision that sent the order, at 2026-01-01T12:00:00.000Z: ensure, from 60000\n',
  )
  expect(rung.stdout).toContain('\nlatest decision, at 2026-01-01T12:01:00.000Z: ensure, from 60000\n')
})

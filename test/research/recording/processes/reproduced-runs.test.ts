import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { systemClock } from '#src/core/time/clock.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { closeMaker } from '#test/runtime/support/close-maker.ts'
import { isType, runUntil, startBot, type Line } from '#test/runtime/support/bot-process.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { watching } from '#test/operate/dashboard/dashboard-fixture.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { startFaultyVenue, type VenueFault } from '#test/support/faulty-venue.ts'
import { futuresStrategy } from '#test/strategy/futures-strategy.ts'
import { tradesStrategy } from '#test/strategy/trades-strategy.ts'
import { worldWith } from '#test/support/world.ts'
import { knownIn, linesOf, playedAgain, stateKept, venueFile } from '../recorded-runs.ts'

const maker = 'strategies/05-market-making.yaml'
const grid = 'strategies/01-static-grid.yaml'
const hedged = 'strategies/08-hedged-ladders.yaml'
/** Its events of order books are a part of the state that a replay must find again. */
const skew = 'strategies/standard/imbalance-skew.yaml'
/** They place few orders in the seconds of a test. */
const quiet = [
  '02-geometric-dip-ladder',
  '03-trailing-volatility-grid',
  '04-dca-take-profit',
  '06-mean-reversion',
]
  .concat(['07-scheduled-accumulation'])
  .map((name) => `strategies/${name}.yaml`)
const together = [...(isSlowRun ? quiet : []), grid, maker, hedged, skew]

const accepted =
  (strategy: string) =>
  (line: Line): boolean =>
    line.type === 'order-accepted' && line['strategy'] === strategy
const alerted =
  (strategy: string) =>
  (line: Line): boolean =>
    line.type === 'alert' && line['strategy'] === strategy
/** Waits until quotes have followed the price. */
const moved = isType('order-canceled')

/** Expects the same requests, and the same final state: orders, fills, money, reasons. */
async function expectTheSame(path: string, stateDir: string) {
  const { tape, playback, state, failure } = await playedAgain(path)
  expect({ divergence: playback.divergence, failure }).toEqual({ divergence: null, failure: undefined })
  expect(playback.matched).toBe(playback.requests)
  const { call = 0, unfinished = 0 } = linesOf(tape)
  expect(playback.requests).toBe(call + unfinished)
  expect(knownIn(state)).toEqual(knownIn(stateKept(stateDir)))
  return tape
}

test('a replay of several strategies has the same requests and the same state', async () => {
  using folder = temporaryFolder()
  const [state, path] = [folder.file('state'), folder.file('a.tape')]
  const words = [...together, '--state-dir', state, '--record']
  const { code, stderr } = await runUntil(
    [...words, path],
    accepted('sgrid'),
    accepted('hedg'),
    accepted('imskew'),
    moved,
  )
  expect(code, stderr).toBe(0)
  const tape = await expectTheSame(path, state)
  expect(stateKept(state).depth).toHaveProperty('BTC_PERP 0.001')
  // A machine with much other work may lose the stream, and the bot opens another one.
  const { ending, 'stream-opened': opened } = linesOf(tape)
  expect(ending).toBe(1)
  expect(opened).toBeGreaterThanOrEqual(1)
  // The next process continues with the state of the first.
  const next = folder.file('b.tape')
  expect((await runUntil([...words, next], isType('started'), isType('bulk-sent'))).code).toBe(0)
  expect((await expectTheSame(next, state)).begin.run?.state).not.toBeNull()
})

test('a run with lost, cut, failed and throttled answers and cut streams is reproduced', async () => {
  using folder = temporaryFolder()
  const about = { world: worldWith(), clock: systemClock, profile: 'full', seed: 'bad line' } as const
  const venue = await startFaultyVenue({ ...about, speed: 60, sources: { seeded: true } })
  const faults: VenueFault[] = [
    'answer lost',
    'failed after',
    'cut',
    'lost',
    'throttled',
    'cut short',
    'left alone',
  ]
  let count = 0
  // No faults during the start, which would fail.
  venue.randomFaults(() =>
    (count += 1) < 30 || count % 6 > 0 ? undefined : faults[(count / 6) % faults.length],
  )
  try {
    const [state, path] = [folder.file('state'), folder.file('a.tape')]
    const strategies = [maker, grid, hedged]
    const words = [
      ...strategies,
      '--venue',
      venueFile(folder, venue.url, ['shortSide: true']),
      '--speed',
      '60',
    ]
    await using bot = startBot([...words, '--state-dir', state, '--record', path])
    await bot.said(isType('order-accepted'))
    for (let cuts = 0; cuts < 3; cuts++) {
      // The bot has met further faults, and is connected again.
      const before = venue.calls.length
      await expect.poll(() => venue.calls.length).toBeGreaterThanOrEqual(before + 30)
      await expect.poll(() => venue.cutStreams()).toBeGreaterThan(0)
    }
    bot.kill('SIGTERM')
    expect((await bot.ended).code, bot.stderr()).toBe(0)
    const tape = await expectTheSame(path, state)
    expect(linesOf(tape)['stream-closed']).toBeGreaterThan(2)
    const failed = tape.events.filter((event) => event.kind === 'call' && 'failed' in event.got)
    expect(failed.length).toBeGreaterThan(4)
  } finally {
    await venue.close()
  }
})

test('signals are on the tape, and a replay places the same orders', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange('--profile full --market seeded --seed signals'.split(' '))
  const [state, path, token] = [folder.file('state'), folder.file('a.tape'), 'a-token-of-a-chart-0042']
  const strategy = 'strategies/09-signal-entry.yaml'
  const words = [strategy, '--venue', venueFile(folder, exchange.url), '--state-dir', state]
  await using bot = startBot([...words, '--record', path], { environment: { RUNGS_SIGNAL_TOKEN: token } })
  await bot.said(isType('dashboard-ready'))
  const { url } = JSON.parse(readFileSync(join(state, 'control.json'), 'utf8'))
  const alert = JSON.stringify({ ticker: 'BTCUSD', action: 'buy', token })
  expect((await fetch(`${url}/signal`, { method: 'POST', body: alert })).status).toBe(200)
  await bot.said(isType('order-accepted'))
  expect((await rungsHere(['signal', 'trend', 'flat', '--state-dir', state])).code).toBe(0)
  await bot.said(isType('order-canceled'))
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  const tape = await expectTheSame(path, state)
  expect(linesOf(tape)).toMatchObject({ signal: 2 })
  expect(readFileSync(path)).not.toContain(token)
  expect(JSON.stringify(bot.lines)).not.toContain(token)
})

test('the list of futures and public trades are on the tape, and a replay acts by them as the run did', async () => {
  using folder = temporaryFolder()
  const [state, path] = [folder.file('state'), folder.file('a.tape')]
  const [futures, flow] = [folder.file('futures.yaml'), folder.file('flow.yaml')]
  writeFileSync(futures, futuresStrategy({ cheap: 'mark(fut) > 0', soon: 'funding_hours(fut) < 9' }))
  const [bought, between] = ['trade_count(flow, "5s") >= 0', 'volume_between(flow, 1, 900000, "10s") > 0']
  writeFileSync(flow, tradesStrategy({ bought, between }))
  const told = ['futent', 'flow'].flatMap((name) => [accepted(name), alerted(name)])
  const { code, stderr } = await runUntil([futures, flow, '--state-dir', state, '--record', path], ...told)
  expect(code, stderr).toBe(0)
  const { events } = await expectTheSame(path, state)
  for (const part of ['/public/futures', '/public/trades/'])
    expect(events.some((event) => event.kind === 'call' && event.path.includes(part))).toBe(true)
  const kept = stateKept(state)
  expect(kept.futures).toMatchObject({ BTC_PERP: { mark: expect.any(Number) } })
  expect(kept.trades?.['BTC_PERP']?.windows['5000']).toMatchObject({ bought: expect.any(String) })
})

test('operator commands, reloaded files and a kill are on the tape', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(
    '--profile full --market seeded --speed 60 --seed acts'.split(' '),
  )
  const [state, path, strategy] = [folder.file('state'), folder.file('a.tape'), closeMaker(folder)]
  const text = readFileSync(strategy, 'utf8')
  const words = [strategy, '--venue', venueFile(folder, exchange.url), '--speed', '60', '--state-dir', state]
  {
    await using bot = startBot([...words, '--record', path])
    const { order } = await bot.said(isType('order-accepted'))
    // Reads of the dashboard are not recorded.
    const { url, token } = JSON.parse(readFileSync(join(state, 'control.json'), 'utf8'))
    const authorization = `Bearer ${token}`
    const reader = await watching(url, authorization)
    await reader.heard('tables', ({ set }) => set.markets?.['BTC_PERP'] !== undefined)
    for (const asked of ['candles?market=BTC_PERP&bar=1m', `why?what=${String(order)}`]) {
      const answer = await fetch(`${url}/${asked}`, { headers: { authorization } })
      expect({ status: answer.status, said: await answer.json() }, asked).toMatchObject({ status: 200 })
    }
    expect((await rungsHere(['stop', '--reason', 'lunch', '--state-dir', state])).code).toBe(0)
    expect((await rungsHere(['resume', '--state-dir', state])).code).toBe(0)
    writeFileSync(strategy, text.replace('cooldown: 2m', 'cooldown: 3m'))
    await bot.said(isType('strategy-reloaded'))
    const before = bot.lines.length
    await bot.said(() => bot.lines.length > before)
    await reader.heard('log', (lines) => lines.some(({ type }) => type === 'strategy-reloaded'))
    bot.kill('SIGTERM')
    expect((await bot.ended).code, bot.stderr()).toBe(0)
    await reader.over
  }
  const tape = await expectTheSame(path, state)
  expect(linesOf(tape)).toMatchObject({ operator: 2, reloaded: 1, ending: 1 })

  const cut = folder.file('b.tape')
  await using bot = startBot([...words, '--record', cut])
  await bot.said(isType('fill'))
  bot.kill('SIGKILL')
  await bot.ended
  const { playback, tape: torn } = await playedAgain(`${cut}.partial`)
  expect(torn).toMatchObject({ whole: false, notes: [expect.stringContaining('cut off')] })
  expect(playback.divergence).toBeNull()
  expect(playback.matched).toBe(linesOf(torn)['call'])
})

test('prices of a file and nonces of other processes are on the tape, at a venue with only documented calls', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange(['--profile', 'spec'])
  const bars = Array.from(
    { length: 60 },
    (_, minute) => `${1_790_000_000 + minute * 60},60010,60030,59990,60020`,
  )
  writeFileSync(folder.file('btc.csv'), ['timestamp,open,high,low,close', ...bars].join('\n'))
  const more = [
    'nonce: window',
    'prices: { BTC_USDT: btc.csv }',
    `world: ${process.cwd()}/config/exchange.yaml`,
  ]
  const venue = venueFile(folder, exchange.url, more)
  const [state, strategy] = [folder.file('state'), folder.file('grid.yaml')]
  // A strategy on prices, without candles.
  const text = readFileSync(grid, 'utf8')
    .replace(/source: candles.*?\}/, 'source: book, market: btc }')
    .replace('last(px)', 'mid(px)')
  writeFileSync(strategy, text.replace(/^tests:[^]*/m, ''))
  for (const name of ['a.tape', 'b.tape']) {
    const path = folder.file(name)
    const words = [strategy, '--venue', venue, '--state-dir', state, '--record', path]
    // The second run finds the orders of the first.
    const told = name === 'a.tape' ? 'order-accepted' : 'dashboard-ready'
    const { code, stderr } = await runUntil(words, isType(told))
    expect(code, stderr).toBe(0)
    const tape = await expectTheSame(path, state)
    expect(linesOf(tape)).toMatchObject({ prices: 1, ...(name === 'b.tape' && { nonces: 1 }) })
  }
})

test('an error of the journal is on the tape, since the engine decides nothing after it', async () => {
  using folder = temporaryFolder()
  const [state, path] = [folder.file('state'), folder.file('a.tape')]
  await using bot = startBot([maker, grid, '--state-dir', state, '--record', path])
  await bot.said(isType('order-accepted'))
  // Like a full disk.
  using db = new DatabaseSync(`${state}/journal.sqlite`, { timeout: 600_000 })
  db.exec('DROP TABLE sendings')
  expect((await bot.ended).code).toBe(1)
  const { playback, failure, tape, state: after } = await playedAgain(path)
  expect({ divergence: playback.divergence, failure }).toEqual({ divergence: null, failure: undefined })
  // The bot does not process the shutdown any more.
  expect(after.ending).toBe(false)
  expect(linesOf(tape)).toMatchObject({ broken: 1, ending: 1, call: playback.matched })
})

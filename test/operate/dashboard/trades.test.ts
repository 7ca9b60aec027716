import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { closingsOf } from '#src/operate/dashboard/history/closings.ts'
import { openHistoryFile } from '#src/operate/dashboard/history/history-file.ts'
import { openHistory } from '#src/operate/dashboard/history/open-history.ts'
import { matchFill, newPairs } from '#src/engine/holdings/pairs.ts'
import { newHolding } from '#src/engine/holdings/holdings.ts'
import { TradeHistory, tradesKept, tradesShown } from '#src/operate/dashboard/history/trade-history.ts'
import { performanceOf } from '#src/operate/dashboard/history/performance.ts'
import { tradesCsv } from '#src/operate/dashboard/history/trades-csv.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import type { EngineHarness } from '#test/engine/support/engine-harness.ts'
import { atWork, openDashboardOf, watching } from './dashboard-fixture.ts'

const known = ({ engine: { state } }: EngineHarness) => new StrategyCache().of(state)
const rowsOf = (trades: TradeHistory) => Object.values(trades.newest)

function fill(harness: EngineHarness, id: string, part?: number): void {
  harness.settle(harness.fill(id, part))
  harness.settle(harness.wait(10_000))
}

function gridProfitOf(harness: EngineHarness): string {
  const [own] = statusOf(harness.engine.state, known(harness), null).strategies
  return own?.gridProfit ?? ''
}

test('a rung and its mirror are one trade, with exact prices, profit, fees and times', () => {
  const harness = atWork('01-static-grid')
  using folder = temporaryFolder()
  using db = openHistoryFile(folder.file('dashboard.sqlite'))
  const trades = new TradeHistory(db)
  fill(harness, 'sgrid.grid.b1.1')
  trades.record(harness.engine.state, known(harness))
  expect(rowsOf(trades)).toEqual([])
  fill(harness, 'sgrid.grid.mb1.1')
  trades.record(harness.engine.state, known(harness))
  const [bid, mirror] = ['b1', 'mb1'].map((level) => harness.order(`sgrid.grid.${level}.1`))
  const [row] = rowsOf(trades)
  expect(row).toMatchObject({
    strategy: 'sgrid',
    market: 'BTC_USDT',
    ladder: 'grid',
    rungs: 'b1',
    exit: 'mb1',
    kind: 'mirror',
    side: 'long',
    amount: mirror?.amount,
    entry: '59500',
    close: '60000',
    profit: gridProfitOf(harness),
    fees: new Decimal(bid?.fee ?? 0).plus(mirror?.fee ?? 0).toFixed(),
  })
  expect(row!.percent).toBe(
    new Decimal(row!.profit)
      .times(100)
      .div(bid?.money ?? 1)
      .toDecimalPlaces(4)
      .toFixed(),
  )
  expect(row!.closedAt - row!.openedAt!).toBe(10_000)
})

test('partial fills of one closing order stay one trade, and all profits add up to the grid profit', () => {
  const harness = atWork('01-static-grid')
  using folder = temporaryFolder()
  using db = openHistoryFile(folder.file('dashboard.sqlite'))
  const trades = new TradeHistory(db)
  const record = () => trades.record(harness.engine.state, known(harness))
  fill(harness, 'sgrid.grid.b1.1')
  fill(harness, 'sgrid.grid.b2.1')
  fill(harness, 'sgrid.grid.mb1.1', 0.25)
  record()
  // Beyond the last bookings that the engine keeps: the first part is read from the file.
  harness.settle(harness.wait(3_600_000))
  fill(harness, 'sgrid.grid.mb1.1', 0.5)
  record()
  const { amount } = harness.order('sgrid.grid.mb1.1')
  fill(harness, 'sgrid.grid.mb1.1')
  record()
  record()
  const rows = rowsOf(trades)
  expect(rows.map(({ exit, amount: closed }) => [exit, closed])).toEqual([['mb1', amount]])
  expect(rows[0]!.profit).toBe(gridProfitOf(harness))
  expect(rows[0]!.openedAt).not.toBe(null)
})

test('trades survive a restart of the bot, and an old lot keeps the time when it was opened', () => {
  using folder = temporaryFolder()
  const harness = atWork('01-static-grid')
  fill(harness, 'sgrid.grid.b1.1')
  fill(harness, 'sgrid.grid.mb1.1')
  fill(harness, 'sgrid.grid.b2.1')
  const openedAt = harness.engine.state.at - 10_000
  const first = openHistoryFile(folder.file('dashboard.sqlite'))
  new TradeHistory(first).record(harness.engine.state, known(harness))
  first.close()
  const second = openHistoryFile(folder.file('dashboard.sqlite'))
  const trades = new TradeHistory(second)
  expect(rowsOf(trades)).toHaveLength(1)
  harness.settle(harness.wait(3_600_000))
  trades.record(harness.engine.state, known(harness))
  fill(harness, 'sgrid.grid.mb2.1')
  trades.record(harness.engine.state, known(harness))
  expect(rowsOf(trades).find(({ exit }) => exit === 'mb2')?.openedAt).toBe(openedAt)
  second.close()
})

test('the page gets the newest trades, the file keeps more, and the oldest are deleted', async () => {
  using folder = temporaryFolder()
  using db = openHistoryFile(folder.file('dashboard.sqlite'))
  const insert = db.prepare('INSERT INTO trades VALUES (?, ?, ?, ?)')
  const row = { strategy: 'a, "b"', market: 'BTC_USDT', openedAt: null, closedAt: 0, profit: '1' }
  db.exec('BEGIN')
  for (let at = 0; at < tradesKept + 50; at += 1)
    insert.run(`trade ${at}`, at, JSON.stringify({ ...row, closedAt: at }), '{}')
  db.exec('COMMIT')
  const trades = new TradeHistory(db)
  expect(rowsOf(trades).map(({ closedAt }) => closedAt)).toEqual(
    Array.from({ length: tradesShown }, (_, index) => tradesKept + 49 - index),
  )
  const harness = atWork('01-static-grid')
  fill(harness, 'sgrid.grid.b1.1')
  fill(harness, 'sgrid.grid.mb1.1')
  trades.record(harness.engine.state, known(harness))
  expect(rowsOf(trades)).toHaveLength(tradesShown)
  expect(rowsOf(trades).map(({ exit }) => exit)).toContain('mb1')
  const lines = (await tradesCsv(trades)).trimEnd().split('\r\n')
  expect(lines).toHaveLength(1 + tradesKept)
  expect(lines[2]).toMatch(/^"a, ""b""",BTC_USDT,.*,,1970-01-01T00:00:10\.049Z,$/)
})

test('the performance of a strategy counts its trades, by day and in total', async () => {
  using folder = temporaryFolder()
  using db = openHistoryFile(folder.file('dashboard.sqlite'))
  const insert = db.prepare('INSERT INTO trades VALUES (?, ?, ?, ?)')
  const profits = ['0.1', '0.2', '-0.15', '0', '5']
  for (const [index, profit] of profits.entries()) {
    const closedAt = Math.floor(index / 2) * 86_400_000
    const strategy = index === 4 ? 'other' : 'sgrid'
    insert.run(String(index), closedAt, JSON.stringify({ strategy, profit, closedAt }), '{}')
  }
  expect(await performanceOf(new TradeHistory(db), 'sgrid')).toEqual({
    trades: 4,
    won: 2,
    profit: '0.15',
    profitFactor: '2',
    days: [
      { day: '1970-01-02', trades: 2, profit: '-0.15' },
      { day: '1970-01-01', trades: 2, profit: '0.3' },
    ],
  })
  expect(await performanceOf(new TradeHistory(db), 'unknown')).toMatchObject({
    trades: 0,
    profitFactor: null,
  })
})

/** What a bot finds at its next start. */
function reopened(folder: { path: string }) {
  const broken: unknown[] = []
  const { db, trades } = openHistory(folder.path, (error) => broken.push(error))
  const rows = rowsOf(trades)
  db.close()
  return { broken, rows }
}

function withOneTrade(folder: { file: (name: string) => string }): string {
  const path = folder.file('dashboard.sqlite')
  const harness = atWork('01-static-grid')
  fill(harness, 'sgrid.grid.b1.1')
  fill(harness, 'sgrid.grid.mb1.1')
  const db = openHistoryFile(path)
  new TradeHistory(db).record(harness.engine.state, known(harness))
  db.close()
  return path
}

test.each<[string, (path: string) => void]>([
  ['no database', (path) => writeFileSync(path, 'this is no database '.repeat(100))],
  ['damaged behind its first page', (path) => damageBehind(path, 4096)],
  ['of another form', (path) => changed(path, 'DROP TABLE equity; CREATE TABLE equity (a TEXT)')],
  ['with a row that is not JSON', (path) => changed(path, "UPDATE trades SET row = '{'")],
])('a history that is %s is renamed, and the bot starts with an empty one', (_, damage) => {
  using folder = temporaryFolder()
  const path = withOneTrade(folder)
  expect(reopened(folder).rows).toHaveLength(1)
  damage(path)
  const { broken, rows } = reopened(folder)
  expect([broken.length, rows]).toEqual([1, []])
  expect(existsSync(`${path}.damaged`)).toBe(true)
  expect(reopened(folder).broken).toEqual([])
})

function damageBehind(path: string, start: number): void {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0x5a, start))
}

function changed(path: string, sql: string): void {
  using db = new DatabaseSync(path)
  db.exec(sql)
}

test('a history that is locked, or whose folder cannot be written, stays, and the bot starts without it', () => {
  using folder = temporaryFolder()
  const path = withOneTrade(folder)
  const other = new DatabaseSync(path)
  other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
  const locked = reopened(folder)
  expect([locked.broken.length, locked.rows]).toEqual([1, []])
  other.exec('ROLLBACK')
  other.close()
  expect(reopened(folder).rows).toHaveLength(1)
  writeFileSync(folder.file('file'), '')
  expect(reopened({ path: join(folder.path, 'file', 'inside') }).rows).toEqual([])
})

test('a trade that could not be written is written with the next one', () => {
  using folder = temporaryFolder()
  const path = folder.file('dashboard.sqlite')
  using db = openHistoryFile(path)
  const trades = new TradeHistory(db)
  const harness = atWork('01-static-grid')
  fill(harness, 'sgrid.grid.b1.1')
  fill(harness, 'sgrid.grid.mb1.1')
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  expect(() => trades.record(harness.engine.state, known(harness))).toThrow(/locked/)
  expect(rowsOf(trades)).toEqual([])
  other.exec('ROLLBACK')
  other.close()
  trades.record(harness.engine.state, known(harness))
  expect(rowsOf(trades)).toHaveLength(1)
})

test('an exit of a ladder with both sides closes its own lots by each other, and no part is lost', () => {
  const pairs = newPairs()
  const fill = (level: string, order: number, amount: string, money: string) =>
    matchFill(pairs, { ladder: 'grid', level, order, amount, money, fee: '0', by: { entry: 'mirrors' } })
  fill('b1', 1, '1', '100')
  fill('b2', 1, '1', '90')
  fill('s1', 1, '-3', '-360')
  const booking = {
    ladder: 'grid',
    at: 5,
    dealtAt: null,
    amount: '1',
    money: '130',
    matching: { level: 'fl', order: 9, fee: '0', by: { exit: 'mirrors' as const } },
    before: { position: '0', cost: '0', realized: '0' },
    ladderBefore: null,
  }
  // 3 sold for 360, 2 bought for 190 and 1 for 130: a profit of 40 with 3 closed.
  const holding = { ...newHolding(), pairs, tail: [booking] }
  const parts = Object.values(closingsOf(holding, new Map()).closings.get('grid.fl.9') ?? {})
  const sum = (of: (part: (typeof parts)[number]) => string) => Decimal.sum(...parts.map(of)).toFixed()
  expect(sum(({ amount }) => amount)).toBe('3')
  expect(
    Decimal.sum(...parts.flatMap(({ opening, closing }) => [opening, closing]))
      .neg()
      .toFixed(),
  ).toBe('40')
})

test('the dashboard sends trades as rows, and all of them as a file', async () => {
  const harness = atWork('01-static-grid')
  fill(harness, 'sgrid.grid.b1.1')
  fill(harness, 'sgrid.grid.mb1.1')
  await using opened = await openDashboardOf(harness)
  const reader = await watching(opened.url, opened.authorization)
  const { set } = await reader.heard('tables', (data) => data.whole === true)
  expect(Object.keys(set.trades ?? {})).toEqual(['sgrid.btc grid.mb1.1'])
  const file = await opened.ask('/trades.csv')
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(file.text).toMatch(/^strategy,market,ladder,rungs,.*\r\nsgrid,BTC_USDT,grid,b1,mb1,mirror,long,/)
  const own = JSON.parse((await opened.ask('/strategy?name=sgrid')).text)
  expect(own).toMatchObject({
    performance: { trades: 1, won: 1 },
    text: expect.stringContaining('name: sgrid'),
  })
  expect(await opened.ask('/strategy?name=__proto__')).toMatchObject({ status: 400 })
  expect(await opened.ask('/trades.csv', { headers: { authorization: undefined } })).toMatchObject({
    status: 401,
  })
  await reader.end()
  expect(opened.broken).toEqual([])
})

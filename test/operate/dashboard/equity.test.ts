import { expect, test } from 'vitest'
import { EquityHistory, type EquityRange } from '#src/operate/dashboard/history/equity-history.ts'
import { openHistoryFile } from '#src/operate/dashboard/history/history-file.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { atWork, openDashboardOf } from './dashboard-fixture.ts'

const { state } = atWork('01-static-grid').engine
const known = new StrategyCache().of(state)
const hourMs = 3_600_000

function sample(history: EquityHistory, at: number, equity: string | null): void {
  history.sample({ ...state, at, account: { ...state.account!, equity } }, known)
}

test('each range has a bounded number of points and its own length', () => {
  using folder = temporaryFolder()
  using db = openHistoryFile(folder.file('dashboard.sqlite'))
  const history = new EquityHistory(db)
  const days = 20
  db.exec('PRAGMA synchronous = OFF')
  const end = days * 24 * hourMs
  for (let at = 60_000; at <= end; at += 300_000) sample(history, at, String(at))
  const last = end - (end % 300_000) - 240_000
  const lengths = (['1h', '24h', '7d', 'all'] satisfies EquityRange[]).map((range) => {
    const points = history.points('', range, last)
    expect(points.at(-1)?.[0]).toBe(last)
    return [points.length, Math.round((last - points[0]![0]) / hourMs)]
  })
  expect(lengths).toEqual([
    [13, 1],
    [289, 24],
    [673, 168],
    [days * 4, days * 24 - 6],
  ])
  expect(history.points('sgrid', '24h', last)).toHaveLength(289)
  const kept = Number(db.prepare('SELECT count(*) AS count FROM equity').get()?.['count'])
  // Old points of the two subjects are deleted in turn.
  expect(kept).toBeLessThan(2 * (13 + 289 + 673 + days * 4) + 20)
})

test('all has the details of the shortest range that holds all points', () => {
  using folder = temporaryFolder()
  using db = openHistoryFile(folder.file('dashboard.sqlite'))
  const history = new EquityHistory(db)
  for (let at = 0; at < 600_000; at += 5000) sample(history, hourMs + at, '1')
  expect(history.points('', 'all', hourMs + 600_000)).toHaveLength(120)
})

test('equity survives a restart; of a strategy it is the capital and the result', () => {
  using folder = temporaryFolder()
  const first = openHistoryFile(folder.file('dashboard.sqlite'))
  sample(new EquityHistory(first), 10_000, '1000')
  first.close()
  using second = openHistoryFile(folder.file('dashboard.sqlite'))
  const history = new EquityHistory(second)
  sample(history, 20_000, '1001')
  expect(history.points('', '1h', 20_000)).toEqual([
    [10_000, '1000', '0'],
    [20_000, '1001', '0'],
  ])
  expect(history.points('sgrid', '1h', 20_000).at(-1)).toEqual([20_000, '2200', '0'])
})

test('missing equity is skipped if the venue reports equity', () => {
  using folder = temporaryFolder()
  using db = openHistoryFile(folder.file('dashboard.sqlite'))
  const history = new EquityHistory(db)
  sample(history, 10_000, '1000')
  sample(history, 20_000, null)
  sample(history, 30_000, '999')
  expect(history.points('', '1h', 30_000).map(([, equity]) => equity)).toEqual(['1000', '999'])
  // After a restart, too.
  const again = new EquityHistory(db)
  sample(again, 40_000, null)
  expect(again.points('', '1h', 40_000).map(([, equity]) => equity)).toEqual(['1000', '999'])
  using otherFolder = temporaryFolder()
  using other = openHistoryFile(otherFolder.file('dashboard.sqlite'))
  const without = new EquityHistory(other)
  sample(without, 10_000, null)
  expect(without.points('', '1h', 10_000)).toEqual([[10_000, '0', '0']])
})

test('the dashboard answers for the account and its strategies, and refuses other names', async () => {
  await using opened = await openDashboardOf(atWork('01-static-grid'))
  const ask = async (query: string) => {
    const { status, text } = await opened.ask(`/equity?${query}`)
    return [status, JSON.parse(text)]
  }
  expect(await ask('range=all')).toEqual([200, [[expect.any(Number), '100000', '0']]])
  expect(await ask('range=1h&strategy=sgrid')).toEqual([200, [[expect.any(Number), '2200', '0']]])
  for (const query of ['range=2h', 'range=1h&strategy=__proto__', 'range=toString', ''])
    expect(await ask(query), query).toEqual([400, { error: 'no such strategy or range' }])
})

import { expect, test } from 'vitest'
import { openHistoryFile } from '#src/operate/dashboard/history/history-file.ts'
import { EquityHistory } from '#src/operate/dashboard/history/equity-history.ts'
import { StrategyCache } from '#src/operate/dashboard/strategy-cache.ts'
import { tablesOf } from '#src/operate/dashboard/tables/table-rows.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { atWork } from './dashboard-fixture.ts'

const around = {
  pid: 1,
  version: '1.2.3',
  venueUrl: 'http://127.0.0.1:1',
  real: false,
  waiting: 0,
  contact: { readAt: null, lost: null },
  dashboard: null,
  files: new Map(),
  lanes: [],
  trades: {},
}

test('status, dashboard, chart and limits show the same drawdown', () => {
  const desk = atWork('01-static-grid')
  desk.settle(desk.fill('sgrid.grid.b1.1'))
  desk.settle(desk.quote('BTC_USDT', 59_500))
  const { state } = desk.engine
  const { position } = state.strategies['sgrid']!.holdings['btc']!
  const lost = (points: number) => new Decimal(position).times(points).toFixed()
  const known = new StrategyCache().of(state)
  using folder = temporaryFolder()
  using db = openHistoryFile(folder.file('dashboard.sqlite'))
  const equity = new EquityHistory(db)
  const shown = () => {
    const [{ drawdown, maxDrawdown, margins } = { drawdown: '', maxDrawdown: '', margins: [] }] = statusOf(
      state,
      known,
      null,
    ).strategies
    const row = tablesOf(state, known, new Map(), around).strategies['sgrid']!
    equity.sample(state, known)
    const curve = equity.points('', '1h', state.at).at(-1)?.[2]
    const ofStrategy = equity.points('sgrid', '1h', state.at).at(-1)?.[2]
    const halt = margins.find(({ limit }) => limit === 'drawdown halt')?.used
    return {
      all: [drawdown, row.drawdown, curve, ofStrategy, halt],
      most: [maxDrawdown, row.maxDrawdown],
    }
  }
  // Between two samples the price was lower than at the second one.
  desk.at += 100
  for (const price of [59_900, 59_300, 59_600]) desk.quote('BTC_USDT', price)
  desk.settle(desk.wait(900))
  // The best price was 60 000, at the fill of the rung.
  expect(shown()).toEqual({ all: Array(5).fill(lost(400)), most: Array(2).fill(lost(700)) })
})

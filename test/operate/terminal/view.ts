import { reasonsOf } from '#src/operate/dashboard/reasons.ts'
import { tablesOf } from '#src/operate/dashboard/tables/table-rows.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import type { TerminalView } from '#src/operate/terminal/frame.ts'
import type { TextLine } from '#src/operate/terminal/line.ts'
import { EngineHarness, fileOf } from '#test/engine/support/engine-harness.ts'

export const link = `http://127.0.0.1:45678/#${'k'.repeat(43)}`

/** A grid and a market maker with filled, resting, sent and waiting orders. */
export function viewOf(chosen: string): TerminalView {
  const harness = new EngineHarness([fileOf('01-static-grid'), fileOf('05-market-making')])
  harness.account({ USDT: '100000' }, {}, '100000')
  harness.quote('BTC_USDT', 60_000)
  harness.quote('BTC_PERP', 60_000)
  harness.settle(harness.past('BTC_USDT', '1m', [60_000, 60_000]))
  harness.settle(harness.wait(1000))
  const [first = ''] = harness.resting()
  harness.settle(harness.fill(first))
  harness.settle(harness.wait(1000))
  const { state } = harness.engine
  const known = new Map(
    Object.entries(state.strategies).map(([name, { text }]) => [name, compileStrategy(text, state.venue)!]),
  )
  const reasons = new Map(
    [...known].map(([name, compiled]) => [name, reasonsOf(state, compiled, state.strategies[name]!)]),
  )
  const about = {
    pid: 1,
    version: '1.2.3',
    venueUrl: 'http://127.0.0.1:1',
    real: false,
    waiting: 0,
    dashboard: null,
    contact: { readAt: null, lost: null },
    files: new Map(),
    lanes: [],
    trades: {},
  }
  const events = Array.from({ length: 40 }, (_, index) => ({
    level: 'info',
    time: '14:03:10',
    type: 'fill',
    about: `sgrid.grid.b1.${index}`,
    text: 'buy 0.0017 at 60000',
  }))
  return {
    tables: tablesOf(state, known, reasons, about),
    time: '2026-11-21 14:03:10',
    events,
    chosen,
    link,
    keys: true,
  }
}

/** The text of a line without its tones. */
export function textOf(line: TextLine): string {
  return line.map((span) => (typeof span === 'string' ? span : span[1])).join('')
}

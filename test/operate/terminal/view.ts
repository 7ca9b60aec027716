import { reasonsOf } from '#src/operate/dashboard/reasons.ts'
import { tablesOf } from '#src/operate/dashboard/tables/table-rows.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import type { TerminalView } from '#src/operate/terminal/frame.ts'
import type { TextLine } from '#src/operate/terminal/line.ts'
import { Desk, fileOf } from '#test/engine/support/engine-harness.ts'

export const link = `http://127.0.0.1:45678/#${'k'.repeat(43)}`

/** A grid and a market maker with filled, resting, sent and waiting orders. */
export function viewOf(chosen: string): TerminalView {
  const desk = new Desk([fileOf('01-static-grid'), fileOf('05-market-making')])
  desk.account({ USDT: '100000' }, {}, '100000')
  desk.quote('BTC_USDT', 60_000)
  desk.settle(desk.past('BTC_USDT', '1m', [60_000, 60_000]))
  desk.settle(desk.wait(1000))
  const [first = ''] = desk.resting()
  desk.settle(desk.fill(first))
  desk.settle(desk.wait(1000))
  const { state } = desk.engine
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

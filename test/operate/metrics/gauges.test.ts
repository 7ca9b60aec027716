import { expect, test } from 'vitest'
import { reasonsOf } from '#src/operate/dashboard/reasons.ts'
import { tablesOf } from '#src/operate/dashboard/tables/table-rows.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import { countEvents } from '#src/operate/metrics/event-counters.ts'
import { gaugesOf } from '#src/operate/metrics/gauges.ts'
import { ProcessMetrics } from '#src/operate/metrics/process-metrics.ts'
import { Registry } from '#src/operate/metrics/registry.ts'
import { timedJournal, timedEngine } from '#src/operate/metrics/timers.ts'
import { EngineHarness, fileOf } from '#test/engine/support/engine-harness.ts'
import { exposed, valueIn } from './exposition.ts'
import { realTime } from '#test/support/real-time.ts'

const name = '01-static-grid'

test('the page has the gauges of an engine and the counts of its events', () => {
  const registry = new Registry()
  const harness = new EngineHarness([fileOf(name)])
  harness.account({ USDT: '100000' }, {}, '100000.5')
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.past('BTC_USDT', '1m', [60_000, 60_000]))
  harness.settle(harness.wait(1000))
  const { state } = harness.engine
  const compiled = compileStrategy(state.strategies['sgrid']!.text, state.venue)!
  const tables = tablesOf(
    state,
    new Map([['sgrid', compiled]]),
    new Map([['sgrid', reasonsOf(state, compiled, state.strategies['sgrid']!)]]),
    {
      pid: 1,
      version: '1.2.3',
      venueUrl: 'http://127.0.0.1:1',
      real: false,
      waiting: 7,
      contact: { readAt: state.at - 1500, lost: { since: state.at - 500, reason: 'a cable' } },
      dashboard: null,
      files: new Map(),
      trades: {},
      lanes: [
        { lane: 'key', waiting: 3, used: null, most: null, perMs: null, waitMs: 0 },
        { lane: '/a', waiting: 0, used: 2, most: 10, perMs: 1000, waitMs: 0 },
      ],
    },
  )
  const [first] = Object.keys(tables.orders)
  const doubtful = tables.orders[first!]!
  doubtful.doubtfulSince = state.at - 4000
  const page = exposed(registry.text(gaugesOf(tables, Object.values(tables.limits))))
  const of = (metric: string, about = {}) => valueIn(page, metric, about)
  expect(of('rungs_equity')).toBe('100000.5')
  const { strategies } = tables
  expect(of('rungs_drawdown', { strategy: 'sgrid' })).toBe(strategies['sgrid']!.drawdown)
  expect(of('rungs_max_drawdown', { strategy: 'sgrid' })).toBe(strategies['sgrid']!.maxDrawdown)
  expect(of('rungs_events_waiting')).toBe('7')
  expect(of('rungs_account_age_seconds')).toBe('1.5')
  expect(of('rungs_venue_silent_seconds')).toBe('0.5')
  expect(of('rungs_stopped')).toBe('0')
  const { sgrid } = tables.strategies
  expect(sgrid?.resting).toBeGreaterThan(0)
  expect(of('rungs_orders', { strategy: 'sgrid', status: 'resting' })).toBe(String(sgrid?.resting))
  expect(of('rungs_doubt_age_seconds', { strategy: 'sgrid' })).toBe('4')
  expect(of('rungs_strategy_running', { strategy: 'sgrid' })).toBe('1')
  expect(of('rungs_limit_used', { limit: 'max_open_orders' })).toBe(String(sgrid?.resting))
  expect(of('rungs_limit_most', { limit: 'max_open_orders' })).toBe('24')
  expect(of('rungs_lane_waiting', { lane: 'key' })).toBe('3')
  expect([of('rungs_rate_used', { path: '/a' }), of('rungs_rate_most', { path: '/a' })]).toEqual(['2', '10'])
})

test('counters match the events, and start at zero with the strategy', () => {
  const registry = new Registry()
  const of = (outcome: string) =>
    valueIn(exposed(registry.text([])), 'rungs_orders_total', { strategy: 'sgrid', outcome })
  countEvents(registry, [{ type: 'strategy-loaded', at: 0, strategy: 'sgrid' }])
  expect([of('accepted'), of('unknown')]).toEqual(['0', '0'])
  const order = { strategy: 'sgrid', ladder: 'l', rung: '1', order: 'o', market: 'M', side: 'buy' } as const
  countEvents(registry, [
    { type: 'order-accepted', at: 0, ...order, price: '1', amount: '1' },
    { type: 'order-accepted', at: 0, ...order, price: '1', amount: '1' },
    { type: 'order-unknown', at: 0, ...order, reason: 'a cable' },
    { type: 'order-resolved', at: 0, ...order, outcome: 'absent' },
    { type: 'fill', at: 0, ...order, price: '1', amount: '1', money: '1', fee: '0' },
    { type: 'stream-lost', at: 0, reason: 'a cable' },
  ])
  const page = exposed(registry.text([]))
  expect([of('accepted'), of('unknown'), of('refused')]).toEqual(['2', '1', '0'])
  expect(valueIn(page, 'rungs_doubts_ended_total', { outcome: 'absent' })).toBe('1')
  expect(valueIn(page, 'rungs_fills_total')).toBe('1')
  expect(valueIn(page, 'rungs_stream_losses_total')).toBe('1')
  expect(valueIn(page, 'rungs_events_total', { type: 'order-accepted', level: 'info' })).toBe('2')
})

test('timers do not change the behaviour of engine and journal', () => {
  const registry = new Registry()
  const done: string[] = []
  const engine = timedEngine({ state: { at: 7 }, step: ({ kind }) => ({ commands: [], kind }) }, registry)
  const journal = timedJournal(
    {
      append: () => void done.push('append'),
      commit: () => void done.push('commit'),
      abandon: () => void done.push('abandon'),
    },
    registry,
  )
  expect(engine.step({ kind: 'tick', at: 1 })).toEqual({ commands: [], kind: 'tick' })
  expect(engine.state).toEqual({ at: 7 })
  journal.append({ kind: 'tick', at: 1 }, { commands: [] })
  void journal.commit()
  journal.abandon(undefined)
  expect(done).toEqual(['append', 'commit', 'abandon'])
  const lines = registry.text([]).split('\n')
  expect(lines).toContain('rungs_step_seconds_count{event="tick"} 1')
  expect(lines).toContain('rungs_journal_commit_seconds_count 1')
})

test('process metrics have resource use, and from the second scrape on the event loop delay', async () => {
  const watch = new ProcessMetrics('1.2.3')
  const look = () => exposed(new Registry().text([...watch.samples()]))
  const first = look()
  expect(valueIn(first, 'rungs_build_info', { version: '1.2.3', node: process.versions.node })).toBe('1')
  expect(Number(valueIn(first, 'process_resident_memory_bytes'))).toBeGreaterThan(1e6)
  expect(valueIn(first, 'rungs_event_loop_delay_seconds', { quantile: '1' })).toBeUndefined()
  const worst = async () => {
    for (;;) {
      await realTime(30)
      const began = performance.now()
      while (performance.now() - began < 60);
      await realTime(30)
      const found = valueIn(look(), 'rungs_event_loop_delay_seconds', { quantile: '1' })
      if (found !== undefined) return Number(found)
    }
  }
  expect(await worst()).toBeGreaterThan(0.02)
})

import { expect, test } from 'vitest'
import { RunOutput } from '#src/cli/run/run-output.ts'
import { differenceText, RunTally } from '#src/cli/run/run-tally.ts'
import { lastLines } from '#src/operate/dashboard/last-log-lines.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { Log } from '#src/operate/logs/log.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'
import { atWork } from '#test/operate/dashboard/dashboard-fixture.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

test('a failing listener is logged, and stops no other', () => {
  using folder = temporaryFolder()
  const log = new Log({ stateDir: folder.path, clock: systemClock, secrets: [], onLost: () => {} })
  const output = new RunOutput(log, { manner: 'nothing' })
  const heard: BotEvent[] = []
  output.listen(() => {
    throw new Error('deaf')
  })
  output.listen((events) => heard.push(...events))
  const event: BotEvent = { type: 'alert', at: 7, message: 'fire' }
  output.take([event])
  output.close()
  expect(heard).toEqual([event])
  expect(lastLines(folder.path).map((line): unknown => JSON.parse(line))).toMatchObject([
    event,
    { type: 'error', at: 7, message: 'deaf' },
  ])
})

test('the summary has resolved and unresolved unknown outcomes', () => {
  const { state } = atWork('01-static-grid').engine
  const [order] = Object.values(state.orders)
  if (order === undefined) throw new Error('nothing rests')
  const { id, strategy, ladder, level: rung, side } = order
  const about = { at: 7, strategy, ladder, rung, order: id, market: 'BTC_USDT', side }
  const tally = new RunTally()
  const other = { ...about, order: 'sgrid.grid.b9.1' }
  // An order that is sent again can be unknown twice.
  for (const reason of ['one', 'two']) tally.take({ type: 'order-unknown', ...other, reason })
  tally.take({ type: 'order-resolved', ...other, outcome: 'placed' })
  tally.take({ type: 'order-unknown', ...about, order: 'sgrid.grid.b8.1', reason: 'one' })
  tally.take({ type: 'order-resolved', ...about, order: 'sgrid.grid.b8.1', outcome: 'absent' })
  tally.take({ type: 'order-unknown', ...about, reason: 'three' })
  const now = { ...state, orders: { ...state.orders, [id]: { ...order, status: 'doubtful' as const } } }
  const reading = { tookMs: 1, agrees: false, readAgeMs: 0 }
  expect(differenceText(state)).toBeNull()
  expect(differenceText(now)).toBe('the outcome of 1 order is unknown')
  expect(tally.summary(now, reading)).toMatchObject({
    unknown: 3,
    placed: 1,
    absent: 1,
    doubtful: 1,
  })
})

/** Two alternating limits. */
const kinds = ['max_notional', 'max_position'] as const

test('a blocked rung is reported once in ten minutes for each limit, also when two limits alternate', () => {
  using folder = temporaryFolder()
  const clock = new ManualClock(0)
  const log = new Log({ stateDir: folder.path, clock, secrets: [], onLost: () => {} })
  const output = new RunOutput(log, { manner: 'nothing' }, clock)
  const heard: BotEvent[] = []
  output.listen((events) => heard.push(...events))
  const block = (rung: string, kind: string, number: number): BotEvent => ({
    type: 'risk-blocked',
    at: clock.now(),
    strategy: 'sgrid',
    ladder: 'grid',
    rung,
    market: 'BTC_USDT',
    kind,
    reason: `${kind} 2200 would be ${2200 + number} with this order`,
  })
  // Observed in a run: 674 reports in 4.5 minutes.
  for (let step = 0; step < 674; step++) {
    output.take([block('b1', kinds[step % 2] ?? '', step)])
    clock.advance(400)
  }
  expect(heard.length).toBe(2)
  // Another rung or another event is reported.
  output.take([block('b2', kinds[0], 7), { type: 'alert', at: 7, message: 'fire' }])
  expect(heard.length).toBe(4)
  clock.advance(600_000)
  output.take([block('b1', kinds[0], 8)])
  expect(heard.length).toBe(5)
  output.close()
  expect(lastLines(folder.path).length).toBe(5)
})

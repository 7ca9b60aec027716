import { expect, test, vi } from 'vitest'
import { alertOf, type Alert } from '#src/operate/alerts/alert.ts'
import { Alerts } from '#src/operate/alerts/alerts.ts'
import { LastingConditions, type BotView } from '#src/operate/alerts/lasting-conditions.ts'
import { causesMost, RepeatedAlerts } from '#src/operate/alerts/repeated-alerts.ts'
import { webhookTarget } from '#src/operate/alerts/target-types.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { decimal } from '#src/core/money/decimal.ts'
import { moneyOfLimit } from '#src/strategy/file/capital.ts'
import { compileStrategy } from '#src/engine/rules/compiled-strategy.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { EngineHarness, fileOf } from '#test/engine/support/engine-harness.ts'
import { startListener } from './listener.ts'
import { patience } from '#test/support/patience.ts'

const minuteMs = 60_000

function alert(cause: string, text = cause): Alert {
  return { type: 'alert', level: 'warn', cause, title: cause, text }
}

test('an event becomes a title, its message, and its other fields', () => {
  const drift: BotEvent = {
    type: 'drift',
    at: 1,
    message: 'a position is missing',
    strategy: 'grid',
    market: 'BTC_PERP',
  }
  expect(alertOf('drift', JSON.stringify(drift))).toEqual({
    type: 'drift',
    level: 'error',
    cause: 'drift grid BTC_PERP',
    title: 'drift grid',
    text: 'a position is missing\nmarket BTC_PERP',
  })
})

test('text from outside cannot forge a line, reverse the text, or exceed the message', () => {
  const hostile = `x\u001b[2J\u202Egnp.exe\nerror: all is well\u2028${'ä'.repeat(5000)}`
  const { title, text } = alertOf(
    'alert',
    JSON.stringify({ type: 'alert', order: hostile, message: hostile }),
  )
  for (const shown of [title, text]) {
    expect(shown).not.toMatch(/[\p{Cc}\u202E\u2028]/u)
    expect(shown.startsWith(shown === title ? 'alert x' : 'x')).toBe(true)
    expect(shown.endsWith('…')).toBe(true)
  }
  expect(`${title}${text}`).not.toContain('\n')
  expect(title.length).toBe(120)
  expect(text.length).toBe(1000)
})

test('the first alert of a cause is sent at once, and its repetitions are grouped', () => {
  const repeats = new RepeatedAlerts(10 * minuteMs)
  expect(repeats.take(alert('a', 'first'), 0)).toEqual([alert('a', 'first')])
  for (const text of ['second', 'third', 'fourth']) expect(repeats.take(alert('a', text), 1000)).toEqual([])
  expect(repeats.take(alert('b'), 1000)).toEqual([alert('b')])
  expect(repeats.due(9 * minuteMs)).toEqual([])
  expect(repeats.due(10 * minuteMs)).toEqual([alert('a', 'fourth\nand 2 similar alerts')])
  // After a report the next quiet time begins; without repetitions the cause is forgotten.
  expect(repeats.take(alert('a', 'fifth'), 11 * minuteMs)).toEqual([])
  expect(repeats.due(20 * minuteMs)).toEqual([alert('a', 'fifth')])
  expect(repeats.due(40 * minuteMs)).toEqual([])
  expect(repeats.take(alert('a', 'sixth'), 41 * minuteMs)).toEqual([alert('a', 'sixth')])
  repeats.take(alert('a', 'seventh'), 41 * minuteMs)
  expect(repeats.rest()).toEqual([alert('a', 'seventh')])
})

test('many causes are grouped, to bound memory and messages', () => {
  const repeats = new RepeatedAlerts(minuteMs)
  const told = Array.from({ length: 2 * causesMost }, (_, each) => repeats.take(alert(`c${each}`), 0)).flat()
  expect(told).toHaveLength(causesMost + 1)
  expect(repeats.due(minuteMs).map(({ text }) => text)).toEqual([
    `c${2 * causesMost - 1}\nand ${causesMost - 2} similar alerts`,
  ])
})

const after = { doubt: 2 * minuteMs, stream: minuteMs, account: minuteMs }

/** A view of the engine. */
function seenOf(harness: EngineHarness, contact: BotView['contact']): BotView {
  const { state } = harness.engine
  const known = new Map(
    Object.entries(state.strategies).map(([name, { text }]) => [name, compileStrategy(text, state.venue)!]),
  )
  return { state, known, contact }
}

test('a lasting unknown outcome is reported with the oldest order, and again when it is resolved', () => {
  const harness = new EngineHarness([fileOf('01-static-grid')])
  harness.account({ USDT: '100000' }, {}, '100000')
  harness.quote('BTC_USDT', 60_000)
  harness.settle(harness.past('BTC_USDT', '1m', [60_000, 60_000]))
  const lasting = new LastingConditions(after, 0)
  const seen = seenOf(harness, { readAt: 1, lost: null })
  const orders = Object.values(seen.state.orders)
  const [one, other] = orders
  expect(orders.length).toBeGreaterThan(2)
  Object.assign(one!, { status: 'doubtful', doubtfulSince: seen.state.at - 60_000 })
  expect(lasting.check(seen, 1)).toEqual([])
  Object.assign(one!, { doubtfulSince: seen.state.at - 121_000 })
  Object.assign(other!, { status: 'doubtful', doubtfulSince: seen.state.at - 120_000 })
  const [told, ...others] = lasting.check(seen, 2)
  expect(others).toEqual([])
  expect(told).toMatchObject({
    type: 'doubt-lasts',
    level: 'error',
    title: 'doubt-lasts sgrid',
    text: `2 with unknown outcome, the oldest for 2 min: ${one?.id}`,
  })
  expect(lasting.check(seen, 3)).toEqual([])
  for (const order of [one, other]) Object.assign(order!, { status: 'resting', doubtfulSince: null })
  expect(lasting.check(seen, 4)).toMatchObject([{ type: 'doubt-lasts', title: 'over: doubt-lasts sgrid' }])
  expect(lasting.check(seen, 5)).toEqual([])
})

test('an unread account and a lost stream are reported after a while, by local time', () => {
  const harness = new EngineHarness([fileOf('01-static-grid')])
  const lasting = new LastingConditions(after, 0)
  const look = (readAt: number, now: number) =>
    lasting
      .check(seenOf(harness, { readAt, lost: { since: 1, reason: 'a cable' } }), now)
      .map(({ title }) => title)
  expect(look(1, 1000)).toEqual([])
  lasting.streamLost('a cable', 2000)
  lasting.streamLost('a cable', 50_000)
  expect(look(2, 10_000)).toEqual([])
  expect(look(2, 61_999)).toEqual([])
  expect(look(2, 62_000)).toEqual(['stream-silent'])
  expect(look(2, 70_000)).toEqual(['account-unread'])
  expect(look(3, 71_000)).toEqual(['over: account-unread'])
  lasting.streamConnected()
  expect(look(3, 72_000)).toEqual(['over: stream-silent'])
})

test('a strategy that reaches its daily_loss is reported, exactly', () => {
  const harness = new EngineHarness([fileOf('05-market-making')])
  const seen = seenOf(harness, { readAt: 1, lost: null })
  const most = moneyOfLimit(seen.known.get('mm2s')!.strategy.risk.daily_loss!, decimal('0'))
  const { worth } = seen.state.strategies['mm2s']!
  const lasting = new LastingConditions(after, 0)
  worth.dayBegan = '7'
  worth.result = most.neg().plus('7.000000000000000001').toFixed()
  expect(lasting.check(seen, 1)).toEqual([])
  worth.result = most.neg().plus(7).toFixed()
  expect(lasting.check(seen, 2)).toMatchObject([
    { type: 'daily-loss', level: 'error', title: 'daily-loss mm2s' },
  ])
})

test('each target receives the alerts that it accepts; a dead one delays no other, and its losses are reported', async () => {
  await using good = await startListener()
  await using dead = await startListener({ status: 403 })
  const clock = new ManualClock(0)
  const secret = new Secret('some-secret')
  const lost: unknown[] = []
  const counts: string[] = []
  const alerts = new Alerts({
    settings: {
      targets: [
        {
          name: 'good',
          targetType: webhookTarget({ url: good.url, secret }),
          takes: ({ level }) => level === 'error',
        },
        { name: 'dead', targetType: webhookTarget({ url: dead.url, secret }), takes: () => true },
      ],
      repeatMs: minuteMs,
      after,
      telegram: [],
      heartbeat: { url: `${good.url}/ping`, everyMs: minuteMs },
      secrets: [],
    },
    clock,
    random: Math.random,
    host: 'attic',
    count: (target, outcome) => void counts.push(`${target} ${outcome}`),
    onLost: (target, about) => void lost.push({ target, ...about }),
  })
  const events: BotEvent[] = [
    { type: 'halted', at: 1, strategy: 'grid', reason: 'drawdown' },
    { type: 'paused', at: 1, strategy: 'grid', reason: 'calm' },
    { type: 'halted', at: 2, strategy: 'grid', reason: 'drawdown' },
  ]
  alerts.take(
    events,
    events.map((event) => JSON.stringify(event)),
  )
  await Promise.all([good.until(1), dead.until(2)])
  // No heartbeat before the start.
  expect(good.heard.map(({ method }) => method)).toEqual(['POST'])
  alerts.startHeartbeat()
  await good.until(2)
  const paths = good.heard.map(({ method, path }) => `${method} ${path}`)
  expect(paths).toEqual(['POST /', 'GET /ping'])
  await vi.waitFor(() => expect(counts).toHaveLength(4), patience)
  expect(counts.toSorted()).toEqual(['dead failed', 'dead failed', 'good told', 'heartbeat told'])
  expect(lost).toEqual([])
  alerts.check(undefined)
  expect(lost).toEqual([{ target: 'dead', alerts: 2, reason: 'the target answered 403' }])
  // The heartbeat repeats, and grouped alerts are sent at the end.
  clock.advance(minuteMs)
  await good.until(3)
  alerts.report('process-failed', 'the disk is full')
  await alerts.end()
  const said = good.heard.map(({ body }) => body).filter((body) => body.includes('"type"'))
  expect(said.map((body) => JSON.parse(body))).toMatchObject([
    { type: 'halted', title: 'halted grid', text: 'drawdown' },
    { type: 'process-failed', text: 'the disk is full' },
    { type: 'halted', title: 'halted grid', text: 'drawdown' },
  ])
})

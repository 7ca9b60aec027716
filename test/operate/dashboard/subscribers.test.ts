import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { changesOf } from '#src/operate/dashboard/table-changes.ts'
import { lastLines } from '#src/operate/dashboard/last-log-lines.ts'
import { LogTail } from '#src/operate/dashboard/log-tail.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { logFolder } from '#src/operate/logs/log-files.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { openedDashboard, watching } from './dashboard-fixture.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { patience } from '#test/support/patience.ts'

let opened: Awaited<ReturnType<typeof openedDashboard>>
beforeAll(async () => {
  opened = await openedDashboard()
})
afterAll(() => opened[Symbol.asyncDispose]())

const alert = (message: string): BotEvent => ({ type: 'alert', at: 1, message })
function say(...messages: string[]) {
  const events = messages.map(alert)
  opened.dashboard.take(
    events,
    events.map((event) => JSON.stringify(event)),
  )
}

test('a new subscriber gets everything, then only changes and new log lines', async () => {
  const { engine, url, authorization } = opened
  say('before anybody came')
  const reader = await watching(url, authorization)
  const whole = await reader.heard('tables', (data) => data.whole === true)
  expect(reader.messages[0]?.data).toEqual(whole)
  expect(Object.keys(whole.set.orders ?? {})).toEqual(engine.resting())
  expect(whole.set.bot?.['']).toMatchObject({ version: '1.2.3', dashboard: url })
  expect(await reader.heard('log')).toMatchObject([{ level: 'warn', message: 'before anybody came' }])
  engine.quote('BTC_USDT', 60_100)
  const change = await reader.heard('tables', (data) => data.set.markets !== undefined && data.whole !== true)
  expect(change).toMatchObject({ set: { markets: { BTC_USDT: { last: '60100' } } } })
  expect(change.set.strategies).toBeUndefined()
  await reader.heard('price', (data) => data.BTC_USDT?.[1] === '60100')
  const [first = ''] = engine.resting()
  engine.settle(engine.fill(first))
  const gone = await reader.heard('tables', (data) => data.gone.orders?.includes(first))
  expect(gone.set.rungs).toMatchObject({
    [first.split('.').slice(0, 3).join('.')]: { state: 'filled', order: first },
  })
  say('later')
  await reader.heard('log', (lines) => lines.length === 1 && lines[0]?.message === 'later')
  // A later subscriber gets the same from then on.
  const second = await watching(url, authorization)
  const later = await second.heard('tables', (data) => data.whole === true)
  expect(Object.keys(later.set.orders ?? {})).toEqual(engine.resting())
  expect((await second.heard('log')).map(({ message }) => message)).toEqual(['before anybody came', 'later'])
  engine.quote('BTC_USDT', 60_200)
  for (const each of [reader, second]) await each.heard('price', (data) => data.BTC_USDT?.[1] === '60200')
  await reader.end()
  await second.end()
})

test('a subscriber right after the last one gets nothing twice', async () => {
  const { url, authorization, dashboard } = opened
  for (const round of ['once', 'again', 'and again']) {
    const first = await watching(url, authorization)
    await first.heard('tables', (data) => data.whole === true)
    say(`somebody leaves ${round}`)
    await first.end()
    await vi.waitFor(() => expect(dashboard.subscribers.isWatched).toBe(false), patience)
    const second = await watching(url, authorization)
    say(`somebody came ${round}`)
    await second.heard('log', (lines) => lines.at(-1)?.message === `somebody came ${round}`)
    const told = second.messages.filter(({ data }) =>
      JSON.stringify(data).includes(`somebody leaves ${round}"`),
    )
    expect(told).toHaveLength(1)
    await second.end()
  }
})

test('text from outside arrives unchanged in one line of data', async () => {
  const hostile = '</script><img src=x onerror=alert(1)>\n\ndata: {"a":1}\r\nevent: x\u2028\u0000"\\'
  const { engine, url, authorization } = opened
  const reader = await watching(url, authorization)
  engine.tell({ kind: 'operator', act: 'stop', reason: hostile })
  await reader.heard('tables', (data) => data.set.bot?.['']?.stopped === hostile)
  say(hostile)
  await reader.heard('log', (lines) => lines.at(-1)?.message === hostile)
  engine.tell({ kind: 'operator', act: 'resume', strategy: null, reason: 'on' })
  await reader.heard('tables', (data) => data.set.bot?.['']?.stopped === null)
  expect(new Set(reader.messages.map(({ event }) => event))).toEqual(new Set(['tables', 'log', 'price']))
  await reader.end()
})

test('without subscribers the state is not read', async () => {
  const clock = new ManualClock(1_767_225_600_000)
  await using quiet = await openedDashboard({ clock })
  const look = vi.spyOn(quiet.dashboard, 'tables')
  const readsIn = async (periods: number) => {
    look.mockClear()
    for (let period = 0; period < periods; period++) {
      clock.advance(100)
      await nextTurn()
    }
    return look.mock.calls.length
  }
  expect(await readsIn(20)).toBe(0)
  const reader = await watching(quiet.url, quiet.authorization)
  expect(await readsIn(20)).toBe(20)
  await reader.end()
  await vi.waitFor(() => expect(quiet.dashboard.subscribers.isWatched).toBe(false), patience)
  expect(await readsIn(20)).toBe(0)
})

test('more than the maximum of subscribers are refused until one leaves', async () => {
  const readers = await Promise.all(
    Array.from({ length: 16 }, () => watching(opened.url, opened.authorization)),
  )
  expect(readers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200))
  expect(await opened.ask('/events')).toMatchObject({ status: 503 })
  await readers[0]?.end()
  await vi.waitFor(() => expect(opened.dashboard.subscribers.isFull).toBe(false), patience)
  const next = await watching(opened.url, opened.authorization)
  expect(next.status).toBe(200)
  for (const reader of [...readers, next]) await reader.end()
})

test('a subscriber that does not read is disconnected, and delays no other', async () => {
  const { url, authorization } = opened
  const { port } = new URL(url)
  const silent = connect(Number(port), '127.0.0.1')
  silent.write(`GET /events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${authorization}\r\n\r\n`)
  silent.pause()
  const left = new Promise((resolve) => silent.once('close', resolve).once('error', resolve))
  const reader = await watching(url, authorization)
  const long = 'x'.repeat(1_800_000)
  for (let count = 0; count < 10; count += 1) {
    opened.dashboard.subscribers.add([JSON.stringify({ count, long })])
    await reader.heard('log', (lines) => lines.at(-1)?.count === count)
    reader.messages.length = 0
  }
  let heard = 0
  silent.on('data', (part) => {
    heard += part.length
  })
  silent.resume()
  await left
  expect(heard).toBeLessThan(10 * long.length)
  await reader.end()
})

test('a failed read disconnects the subscribers, is reported, and stops nothing', async () => {
  const look = vi.spyOn(opened.dashboard, 'tables')
  const reader = await watching(opened.url, opened.authorization)
  look.mockImplementation(() => {
    throw new Error('a fault of ours')
  })
  await reader.over
  expect(opened.broken).toMatchObject([{ message: 'a fault of ours' }])
  look.mockRestore()
  const again = await watching(opened.url, opened.authorization)
  await again.heard('tables', (data) => data.whole === true)
  await again.end()
})

test('only changed and removed rows are sent', () => {
  const before = opened.dashboard.tables()
  expect(changesOf(before, structuredClone(before))).toEqual({ set: {}, gone: {} })
  const [first = '', second = ''] = Object.keys(before.orders)
  const { [first]: _, ...orders } = structuredClone(before.orders)
  const changed = {
    ...orders,
    [second]: { ...before.orders[second]!, filled: '7' },
    new: before.orders[first]!,
  }
  expect(changesOf(before, { ...before, orders: changed })).toEqual({
    set: { orders: { [second]: changed[second], new: changed.new } },
    gone: { orders: [first] },
  })
})

const order = { strategy: 's', ladder: 'l', rung: '1', order: 's.l.1.1', market: 'M', side: 'buy' } as const
const fill: BotEvent = { type: 'fill', at: 1, ...order, amount: '1', price: '1', money: '1', fee: '0' }

test('the log tail keeps the last lines, and fills for longer', () => {
  const tail = new LogTail([])
  for (let count = 0; count < 700; count += 1) {
    const event = count === 10 ? fill : alert('')
    expect(tail.add([event], [JSON.stringify(event)], 'T')).toHaveLength(1)
  }
  const all = tail.all()
  expect(all).toHaveLength(501)
  expect(JSON.parse(all[0] ?? '')).toEqual({ level: 'info', time: 'T', ...fill })
})
const line = (at: number) => JSON.stringify({ level: 'info', time: 'T', ...fill, at })

test('complete log lines of earlier processes are shown', async () => {
  using folder = temporaryFolder()
  const logs = logFolder(folder.path)
  mkdirSync(logs)
  writeFileSync(join(logs, 'rungs-2026-01-01-0000.ndjson'), `${line(1)}\n${line(2)}\n`)
  const many = Array.from({ length: 5000 }, (_, index) => line(index + 3))
  writeFileSync(join(logs, 'rungs-2026-01-02-0000.ndjson'), `${many.join('\n')}\n{"level":"info","ty`)
  const found = lastLines(folder.path)
  expect(found.at(-1)).toBe(line(5002))
  expect(found.length).toBeGreaterThan(2000)
  expect(found.length).toBeLessThan(5000)
  expect(new LogTail(found).all()).toHaveLength(1000)
  writeFileSync(join(logs, 'rungs-2026-01-02-0000.ndjson'), `${line(3)}\n`)
  expect(lastLines(folder.path)).toEqual([line(1), line(2), line(3)])
  // A process was killed while it wrote; the next day has another file.
  writeFileSync(join(logs, 'rungs-2026-01-01-0000.ndjson'), `${line(1)}\n{"level":"info","ty`)
  expect(lastLines(folder.path)).toEqual([line(1), line(3)])
})

test('an error in the history of equity is reported, and stops nothing', async () => {
  const { engine, broken } = opened
  const account = engine.engine.state.account!
  const { equity } = account
  broken.length = 0
  account.equity = 'much'
  engine.settle(engine.wait(1000))
  await vi.waitFor(
    () => expect(broken).toMatchObject([{ message: expect.stringContaining('much') }]),
    patience,
  )
  account.equity = equity
})

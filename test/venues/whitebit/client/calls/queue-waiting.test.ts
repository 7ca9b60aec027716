import { describe, expect, test } from 'vitest'
import { laneCallsMax } from '#src/venues/whitebit/client/calls/call-queue.ts'
import { Nonces, type NonceMemory, type NonceTrace } from '#src/venues/whitebit/client/calls/nonces.ts'
import { RollingWindow } from '#src/venues/whitebit/contract/rolling-window.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { held, laneOn, nextRound, type SentCall } from './call-queue-fixture.ts'
import { clientOf, json, startMs } from '#test/venues/whitebit/client/scripted-venue.ts'

describe('a call that waits', () => {
  test('is taken back at once, even behind one that takes its time', async () => {
    const { lane, turn } = laneOn(new ManualClock(startMs))
    const first = held()
    const running = lane.run(turn({ start: first.start }))
    const controller = new AbortController()
    let sent = false
    const start = async (): Promise<SentCall> => {
      sent = true
      return { kind: 'sent', at: 0 }
    }
    const waiting = lane.run(turn({ signal: controller.signal, start }))
    controller.abort()
    expect(await waiting).toMatchObject({ kind: 'not-sent', cause: 'aborted' })
    first.release()
    await running
    await lane.close()
    expect(sent).toBe(false)
  })

  test('is not taken back once it is sent', async () => {
    const { lane, turn } = laneOn(new ManualClock(startMs))
    const controller = new AbortController()
    const first = held()
    const running = lane.run(turn({ start: first.start, signal: controller.signal }))
    await Promise.resolve()
    controller.abort()
    first.release()
    expect(await running).toMatchObject({ kind: 'sent' })
  })

  test('past its deadline is never sent', async () => {
    const clock = new ManualClock(startMs)
    const { lane, turn } = laneOn(clock)
    const first = held()
    const running = lane.run(turn({ start: first.start }))
    const waiting = lane.run(turn({ dueAt: 100 }))
    clock.advance(100)
    first.release()
    await running
    expect(await waiting).toMatchObject({ kind: 'not-sent', cause: 'late' })
  })

  test('past the time by which it must leave is never sent; one that leaves has its whole deadline', async () => {
    const clock = new ManualClock(startMs)
    const { lane, turn } = laneOn(clock)
    const first = held()
    const running = lane.run(turn({ start: first.start }))
    const withins: number[] = []
    const start = async (within: number): Promise<SentCall> => {
      withins.push(within)
      return { kind: 'sent', at: clock.monotonic() }
    }
    const some = [100, 101].map((sendBy) => lane.run(turn({ sendBy, dueAt: 1000, start })))
    clock.advance(100)
    first.release()
    await running
    expect(await Promise.all(some)).toMatchObject([{ kind: 'not-sent', cause: 'late' }, { kind: 'sent' }])
    expect(withins).toEqual([900])
  })

  test('behind a steady stream of more urgent ones is told when its deadline passes', async () => {
    const clock = new ManualClock(startMs)
    const { lane, turn } = laneOn(clock)
    const start = async (): Promise<SentCall> => {
      await clock.sleep(5)
      return { kind: 'sent', at: clock.monotonic() }
    }
    const progress: { outcome?: unknown } = {}
    const stream = async () => {
      while (progress.outcome === undefined) await lane.run(turn({ priority: 3, start }))
    }
    const streams = [stream(), stream()]
    const waiting = lane.run(turn({ dueAt: 50 })).then((outcome) => Object.assign(progress, { outcome }))
    for (let ms = 0; ms < 55; ms += 1) {
      clock.advance(1)
      await nextRound()
    }
    expect(progress.outcome).toMatchObject({ kind: 'not-sent', cause: 'late' })
    while (clock.nextDue < Infinity) {
      clock.advance(5)
      await nextRound()
    }
    await Promise.all([...streams, waiting])
  })

  test('past its deadline frees its place at once, as does one that is taken back', async () => {
    const clock = new ManualClock(startMs)
    const { lane, turn } = laneOn(clock)
    const first = held()
    const running = lane.run(turn({ start: first.start }))
    const controller = new AbortController()
    const late = Array.from({ length: laneCallsMax - 2 }, () => lane.run(turn({ dueAt: 100 })))
    const takenBack = lane.run(turn({ signal: controller.signal }))
    expect(await lane.run(turn())).toMatchObject({ cause: 'queue-full' })
    clock.advance(100)
    controller.abort()
    for (const outcome of await Promise.all(late)) expect(outcome).toMatchObject({ cause: 'late' })
    expect(await takenBack).toMatchObject({ cause: 'aborted' })
    const others = Array.from({ length: laneCallsMax - 1 }, () => lane.run(turn()))
    expect(await lane.run(turn())).toMatchObject({ cause: 'queue-full' })
    first.release()
    await running
    for (const outcome of await Promise.all(others)) expect(outcome).toMatchObject({ kind: 'sent' })
  })

  test('is not even queued when it was taken back before', async () => {
    const { lane, turn } = laneOn(new ManualClock(startMs))
    const first = held()
    const running = lane.run(turn({ start: first.start }))
    const outcome = await lane.run(turn({ signal: AbortSignal.abort() }))
    expect(outcome).toMatchObject({ kind: 'not-sent', cause: 'aborted' })
    first.release()
    await running
  })

  test('longer than its deadline allows gives up at once', async () => {
    const clock = new ManualClock(startMs)
    const { lane, turn } = laneOn(clock)
    const window = new RollingWindow({ calls: 1, perMs: 1000 })
    await lane.run(turn({ window }))
    expect(await lane.run(turn({ window, dueAt: 500 }))).toMatchObject({ kind: 'not-sent', cause: 'late' })
  })
})

describe('a lane that is closed', () => {
  test('takes back what waits, lets what is in flight end, and sends nothing more', async () => {
    const clock = new ManualClock(startMs)
    const { lane, turn } = laneOn(clock)
    const first = held()
    const running = lane.run(turn({ start: first.start }))
    const behind = lane.run(turn())
    const resting = lane.run(turn({ window: new RollingWindow({ calls: 0, perMs: 1000 }) }))
    const progress = { closed: false }
    const closing = lane.close().then(() => (progress.closed = true))
    expect(await behind).toMatchObject({ kind: 'not-sent', cause: 'aborted' })
    expect(await resting).toMatchObject({ kind: 'not-sent', cause: 'aborted' })
    expect(await lane.run(turn())).toMatchObject({ kind: 'not-sent', cause: 'aborted' })
    await nextRound()
    expect(progress.closed).toBe(false)
    first.release()
    expect(await running).toMatchObject({ kind: 'sent' })
    await closing
  })
})

test('a client that is closed sends nothing more, and draws no nonce after it told the next run', async () => {
  const clock = new ManualClock(startMs)
  let sent = 0
  const kept: NonceTrace[] = []
  const memory: NonceMemory = { load: () => kept.at(-1), save: (trace) => void kept.push(trace) }
  const { client } = clientOf(() => ((sent += 1), json(429, 'Too Many Requests')), {
    clock,
    nonces: new Nonces({ clock, mode: 'strict', memory }),
  })
  const reading = client.mainBalance()
  await nextRound()
  const waiting = client.createCode({ ticker: 'USDT', amount: '1' })
  await client.close()
  const trace = {
    ceiling: startMs,
    recent: [{ agoMs: 0, calls: 1, path: contract.mainBalance.path }],
    monotonicMs: 0,
  }
  expect(kept.at(-1)).toEqual(trace)
  expect(await waiting).toMatchObject({ kind: 'not-sent', cause: 'aborted' })
  expect((await reading).kind).toBe('unanswered')
  expect((await client.mainBalance()).kind).toBe('not-sent')
  clock.advance(20_000)
  await nextRound()
  expect({ sent, trace: kept.at(-1) }).toEqual({ sent: 1, trace })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { RecentCalls, windowAfter, type CallsAgo } from '#src/venues/whitebit/client/calls/recent-calls.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { runs } from '#test/properties/runs.ts'
import { kept } from './nonce-memory.ts'
import { startMs } from '#test/venues/whitebit/client/scripted-venue.ts'

const { path: asked } = contract.mainBalance
const callsOf = (recent: readonly CallsAgo[]) => recent.reduce((sum, { calls }) => sum + calls, 0)

test('calls of one path within a second of the clock are remembered together, as late as the last of them', () => {
  const calls = new RecentCalls([], 0)
  for (const at of [0, 400, 900, 1000]) calls.add(at, 1, '/a')
  calls.add(500, 2, '/b')
  expect(calls.list(1100)).toEqual([
    { agoMs: 200, calls: 3, path: '/a' },
    { agoMs: 100, calls: 1, path: '/a' },
    { agoMs: 600, calls: 2, path: '/b' },
  ])
})

describe('what a run leaves to the next one', () => {
  test('a leap of the wall clock between two runs makes no call look older than it is', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const first = new Nonces({ clock, mode: 'strict', memory })
    first.next(asked)
    clock.advance(500)
    first.next(asked)
    clock.step(3_600_000)
    clock.advance(1000)
    expect(new Nonces({ clock, mode: 'strict', memory }).recent).toEqual([{ agoMs: 500, calls: 250 }])
  })

  test('a block that lasts longer than it should, with the wall clock far behind, is dated anew', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const first = new Nonces({ clock, mode: 'strict', memory })
    first.next(asked)
    clock.step(-50_000)
    clock.advance(30_000)
    first.next(asked)
    expect(new Nonces({ clock, mode: 'strict', memory }).recent).toEqual([
      { agoMs: 0, calls: 1, path: asked },
      { agoMs: 0, calls: 250 },
    ])
  })

  test('after a proper end, how many calls it made; after a crash, how many at most', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const first = new Nonces({ clock, mode: 'strict', memory })
    first.next(asked)
    first.next(asked)
    expect(callsOf(new Nonces({ clock, mode: 'strict', memory }).recent)).toBe(250)
    first.close()
    const second = new Nonces({ clock, mode: 'strict', memory })
    expect(callsOf(second.recent)).toBe(2)
    second.next(asked)
    second.close()
    expect(callsOf(new Nonces({ clock, mode: 'strict', memory }).recent)).toBe(3)
    clock.advance(62_000)
    expect(callsOf(new Nonces({ clock, mode: 'strict', memory }).recent)).toBe(0)
  })

  test('a run of hours says how many calls were made at its end, and not all that it ever made', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const nonces = new Nonces({ clock, mode: 'strict', memory })
    for (let call = 0; call < 3600; call++) {
      nonces.next(asked)
      clock.advance(1000)
    }
    nonces.close()
    const calls = callsOf(memory.trace?.recent ?? [])
    expect(calls).toBeGreaterThanOrEqual(59)
    expect(calls).toBeLessThanOrEqual(61)
  })

  test('calls of other paths keep nobody waiting, whose limits are others', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    for (let call = 0; call < 10; call++) {
      const nonces = new Nonces({ clock, mode: 'strict', memory })
      nonces.next(contract.hedgeMode.path)
      nonces.close()
      clock.advance(300)
    }
    const waitOf = (row: Endpoint) =>
      windowAfter(new Nonces({ clock, mode: 'strict', memory }).recent, row, 0).wait(0)
    expect(waitOf(contract.streamToken)).toBe(0)
    const crashed = new Nonces({ clock, mode: 'strict', memory })
    crashed.next(contract.hedgeMode.path)
    expect(waitOf(contract.streamToken)).toBeGreaterThan(60_000)
    // Nor do calls with a key keep those waiting that need none.
    expect(waitOf({ ...contract.time, limit: contract.streamToken.limit })).toBe(0)
  })

  test('calls of a thousand short runs in a row grow older, however close they are', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    for (let call = 0; call < 1000; call++) {
      const nonces = new Nonces({ clock, mode: 'strict', memory })
      expect(windowAfter(nonces.recent, contract.mainBalance, 0).wait(0)).toBe(0)
      nonces.next(asked)
      clock.advance(50)
      nonces.close()
      clock.advance(200)
    }
    const { recent } = new Nonces({ clock, mode: 'strict', memory })
    // One in 250 ms, for 60 s: no second is counted that is not there any more.
    expect(callsOf(recent)).toBeLessThanOrEqual(245)
    expect(callsOf(recent)).toBeGreaterThanOrEqual(240)
  })

  test('no span holds more calls of a path than its limit, across ends, crashes and steps of the clock', () => {
    const rows: readonly Endpoint[] = [
      contract.streamToken,
      contract.transactionHistory,
      contract.mainBalance,
    ]
    const event = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('calls' as const),
          row: fc.constantFrom(...rows),
          calls: fc.constantFrom(1, 4, 30, 300),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('turn' as const), ms: fc.nat(9000) }) },
      fc.record({ kind: fc.constant('step' as const), ms: fc.integer({ min: -20_000, max: 50_000 }) }),
      fc.constant({ kind: 'crash' } as const),
      fc.constant({ kind: 'end' } as const),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const clock = new ManualClock(startMs, 0.5)
        const memory = kept()
        const sent = new Map(rows.map((row): [Endpoint, number[]] => [row, []]))
        const begin = () => {
          // No clock stands so far behind the nonces that a run would be refused.
          clock.step(Math.max(0, (memory.trace?.ceiling ?? 0) - clock.now()))
          const nonces = new Nonces({ clock, mode: 'strict', memory })
          const at = clock.monotonic()
          return { nonces, windows: new Map(rows.map((row) => [row, windowAfter(nonces.recent, row, at)])) }
        }
        let run = begin()
        for (const each of events) {
          if (each.kind === 'turn') clock.advance(each.ms + 0.3)
          else if (each.kind === 'step') clock.step(each.ms)
          else if (each.kind === 'calls') {
            const at = clock.monotonic()
            const window = run.windows.get(each.row)
            for (let call = 0; call < each.calls && window?.wait(at) === 0; call++) {
              window.count(at)
              run.nonces.next(each.row.path)
              sent.get(each.row)?.push(at)
            }
          } else {
            if (each.kind === 'end') run.nonces.close()
            run = begin()
          }
        }
        for (const [{ limit }, times] of sent) {
          const early = times.filter(
            (at, index) => at - (times[index - limit.calls] ?? -Infinity) < limit.perMs,
          )
          expect(early).toEqual([])
        }
      }),
      runs(300, 9000),
    )
  })

  test('never takes back what another process reserved for the same key, and counts on its calls', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const first = new Nonces({ clock, mode: 'strict', memory })
    const second = new Nonces({ clock, mode: 'strict', memory })
    first.next(asked)
    const last = Number(second.next(asked))
    const reserved = memory.trace
    first.close()
    expect(memory.trace).toEqual(reserved)
    const third = new Nonces({ clock, mode: 'strict', memory })
    expect(Number(third.next(asked))).toBeGreaterThan(last)
    third.close()
    expect(callsOf(new Nonces({ clock, mode: 'strict', memory }).recent)).toBe(Infinity)
  })

  test('after sharing a key it does not say that only its own calls were made', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const first = new Nonces({ clock, mode: 'strict', memory })
    const second = new Nonces({ clock, mode: 'strict', memory })
    first.next(asked)
    second.next(asked)
    second.close()
    expect(memory.trace?.recent).toBeNull()
  })

  test('a run that drew nothing leaves what it found', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    new Nonces({ clock, mode: 'strict', memory }).close()
    expect(memory.saves).toBe(0)
  })
})

import { describe, expect, test } from 'vitest'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { nonceMemoryAfter, passedTrace } from '#src/venues/whitebit/client/calls/passed-nonces.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'
import { kept } from './nonce-memory.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { credentials, startMs } from '#test/venues/whitebit/client/scripted-venue.ts'

const { path } = contract.collateralBulk

describe('what a process leaves to another machine', () => {
  test.each(['strict', 'window'] as const)('bounds its nonces until its lease would end (%s)', (mode) => {
    const clock = new ManualClock(startMs)
    const nonces = new Nonces({ clock, mode, memory: kept() })
    for (let call = 0; call < 300; call++) nonces.next(path)
    const { ceiling } = nonces.foresee(2000)
    // Two refusals, and two seconds in which it calls as fast as it can.
    nonces.leap()
    nonces.leap()
    let last = 0
    for (let step = 0; step < 200; step++) {
      last = Number(nonces.next(path))
      clock.advance(10)
    }
    expect(last).toBeLessThanOrEqual(ceiling)
    expect(ceiling - last).toBeLessThan(5000)
  })

  test('is exact when it ends', () => {
    const nonces = new Nonces({ clock: new ManualClock(startMs), mode: 'strict', memory: kept() })
    const last = Number(nonces.next(path))
    expect(nonces.foresee(0)).toEqual({ ceiling: last, recent: [{ agoMs: 0, calls: 1, path }] })
  })

  test.each(['strict', 'window'] as const)(
    'is not exceeded, however the venue and the clock move (%s)',
    (mode) => {
      const clock = new ManualClock(startMs)
      const nonces = new Nonces({ clock, mode, memory: kept() })
      const trace = passedTrace(nonces)
      const text = trace.text(2000)
      trace.stored(text)
      const { ceiling } = nonces.foresee(2000)
      let last = 0
      const callAll = () => {
        while (nonces.wait() === 0 && last < startMs + 60_000) {
          last = Number(nonces.next(path))
          nonces.leap()
          clock.advance(100)
        }
      }
      callAll()
      clock.step(3_600_000)
      callAll()
      nonces.setVenueTime(startMs + 20_000)
      callAll()
      expect(last).toBeGreaterThan(startMs)
      expect(last).toBeLessThanOrEqual(ceiling)
      // The next renewal stores a higher bound.
      trace.stored(trace.text(2000))
      expect(nonces.wait()).toBe(0)
    },
  )

  test('counts its calls twice: those that were made, and as many that may follow', () => {
    const clock = new ManualClock(startMs)
    const nonces = new Nonces({ clock, mode: 'strict', memory: kept() })
    nonces.next(path)
    nonces.next(path)
    clock.advance(500)
    expect(nonces.foresee(2000).recent).toEqual([
      { agoMs: 0, calls: 2, path },
      { agoMs: -2000, calls: 2, path },
    ])
  })

  test('does not grow from take-over to take-over', () => {
    const clock = new ManualClock(startMs)
    let text = passedTrace(new Nonces({ clock, mode: 'strict', memory: kept() })).text(10_000)
    for (let process = 0; process < 100; process++) {
      // The process before was killed right after the renewal of its lease.
      clock.advance(10_000)
      const memory = nonceMemoryAfter({ text, agoMs: 10_000 }, clock)(kept())
      const nonces = new Nonces({ clock, mode: 'strict', memory })
      for (const one of [path, contract.openOrders.path]) nonces.next(one)
      text = passedTrace(nonces).text(10_000)
      const { recent } = nonces.foresee(10_000)
      // Within the minute that counts, seven processes made two calls each, and eight may have made as many before their end.
      expect(recent?.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThanOrEqual((7 + 8) * 2)
      expect(text.length).toBeLessThan((7 + 8) * 2 * 80)
    }
  })

  test('is where the other machine goes on, unless its own file knows a higher nonce', () => {
    const trace = {
      text: JSON.stringify({ ceiling: 5000, recent: [{ agoMs: 10, calls: 3, path }] }),
      agoMs: 90,
    }
    const before = nonceMemoryAfter(trace, systemClock)(kept()).load()
    expect(before).toMatchObject({ ceiling: 5000, recent: [{ agoMs: 100, calls: 3, path }] })
    const own = kept()
    own.save({ ceiling: 6000, recent: [], monotonicMs: systemClock.monotonic() })
    expect(nonceMemoryAfter(trace, systemClock)(own).load()).toMatchObject({ ceiling: 6000 })
  })
})

/** A venue that answers nothing, and how long each call may wait for it. */
function waitsOf(mayCallMs: () => number) {
  const waits: number[] = []
  const transport: Transport = {
    send: (_request, withinMs) => {
      waits.push(withinMs)
      return Promise.resolve({ kind: 'unanswered', reason: 'silence' })
    },
    close: () => Promise.resolve(),
  }
  const clock = new ManualClock(startMs)
  const key = { credentials, nonces: new Nonces({ clock, mode: 'strict' }) }
  return { waits, client: createClient({ transport, clock, key, mayCallMs }) }
}

describe('a process that may call for a while', () => {
  const order = { market: 'BTC_PERP', side: 'buy', amount: '1', price: '1', client_order_id: 'a' } as const

  test('waits for no answer longer than that', async () => {
    const { waits, client } = waitsOf(() => 700)
    expect(await client.collateralBulk({ orders: [order] })).toMatchObject({ kind: 'unknown' })
    expect(waits).toEqual([700])
  })

  test('sends nothing once it may not', async () => {
    const { waits, client } = waitsOf(() => 0)
    const outcome = await client.collateralBulk({ orders: [order] })
    expect(outcome).toMatchObject({ kind: 'not-sent', cause: 'aborted' })
    expect(waits).toEqual([])
  })
})

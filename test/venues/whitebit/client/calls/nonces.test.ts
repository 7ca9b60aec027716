import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { isNonceText, nonceWindowMs } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { runs } from '#test/properties/runs.ts'
import { kept } from './nonce-memory.ts'
import { startMs } from '#test/venues/whitebit/client/scripted-venue.ts'

const { path: asked } = contract.mainBalance
const folder = mkdtempSync(join(tmpdir(), 'rungs-nonce-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const freshPath = () => join(folder, `nonce-${(files += 1)}`)

test('nonces follow the clock and never stand still', () => {
  const clock = new ManualClock(startMs)
  const nonces = new Nonces({ clock, mode: 'strict' })
  expect([nonces.next(asked), nonces.next(asked)]).toEqual([String(startMs), String(startMs + 1)])
  clock.advance(10)
  expect(nonces.next(asked)).toBe(String(startMs + 10))
  clock.step(-3_600_000)
  expect(nonces.next(asked)).toBe(String(startMs + 11))
})

test('without a memory there are no earlier calls, and a refusal still leaps', () => {
  const nonces = new Nonces({ clock: new ManualClock(startMs), mode: 'strict' })
  expect(nonces.recent).toEqual([])
  expect(nonces.next(asked)).toBe(String(startMs))
  nonces.leap()
  expect(nonces.next(asked)).toBe(String(startMs + 1001))
})

test('a part of a millisecond is cut, so that no nonce is ahead of the clock', () => {
  const clock = { now: () => startMs + 0.6, monotonic: () => 0 }
  expect(new Nonces({ clock, mode: 'strict' }).next(asked)).toBe(String(startMs))
})

test('a block that is used up leaves no gap behind it', () => {
  const nonces = new Nonces({ clock: new ManualClock(startMs), mode: 'strict', memory: kept() })
  const drawn = Array.from({ length: 600 }, () => Number(nonces.next(asked)))
  expect(drawn).toEqual(drawn.map((_, place) => startMs + place))
})

test('a ceiling of another process that is far ahead of the clock counts in mode strict alone', () => {
  const far = startMs + 3_600_000
  for (const mode of ['strict', 'window'] as const) {
    const memory = kept()
    const clock = new ManualClock(startMs)
    const nonces = new Nonces({ clock, mode, memory })
    expect(nonces.next(asked)).toBe(String(startMs))
    memory.save({ ceiling: far, recent: null, monotonicMs: 0 })
    clock.advance(2000)
    expect(nonces.next(asked)).toBe(String(mode === 'strict' ? far + 1 : startMs + 2000))
  }
})

test('nonces rise strictly across restarts, crashes, leaps and steps of the clock', () => {
  const event = fc.oneof(
    { weight: 6, arbitrary: fc.constant({ kind: 'draw' } as const) },
    fc.record({ kind: fc.constant('turn' as const), ms: fc.nat(5000) }),
    fc.record({ kind: fc.constant('step' as const), ms: fc.integer({ min: -50_000, max: 50_000 }) }),
    fc.constant({ kind: 'crash' } as const),
    fc.constant({ kind: 'restart' } as const),
    fc.constant({ kind: 'leap' } as const),
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), fc.constantFrom('strict', 'window'), (events, mode) => {
      const clock = new ManualClock(startMs)
      const memory = kept()
      const begin = () => new Nonces({ clock, mode, memory })
      let stepped = 0
      // Where a clock is wrong by a minute, a venue with a window takes no nonce of it: they need not rise.
      const stepMost = mode === 'strict' ? Infinity : 25_000
      let nonces = begin()
      let last = 0
      for (const each of events) {
        if (each.kind === 'turn') clock.advance(each.ms)
        else if (each.kind === 'step') {
          if (Math.abs(stepped + each.ms) > stepMost) continue
          stepped += each.ms
          clock.step(each.ms)
        } else if (each.kind === 'leap') nonces.leap()
        else if (each.kind === 'draw') {
          if (nonces.wait() > 0) continue
          const text = nonces.next(asked)
          expect(isNonceText(text)).toBe(true)
          expect(Number(text)).toBeGreaterThan(last)
          last = Number(text)
        } else {
          if (each.kind === 'restart') nonces.close()
          nonces = begin()
        }
      }
    }),
    runs(300, 9000, 100),
  )
})

const hourMs = 3_600_000
const wrongClocks = [
  ['an hour', hourMs],
  ['eight days', 8 * 24 * hourMs],
] as const

describe.each(wrongClocks)('after a clock that was %s ahead for seconds', (_, aheadMs) => {
  test('a start goes on from the last nonce, and says so', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    clock.step(aheadMs)
    const last = Number(new Nonces({ clock, mode: 'strict', memory }).next(asked))
    clock.advance(3000)
    clock.step(-aheadMs)
    const nonces = new Nonces({ clock, mode: 'strict', memory })
    // A start counts from the end of the block of nonces, which covers a second.
    const said = `the last nonce is ${aheadMs / 1000 - 2} s ahead of the clock, which was wrong then or is wrong now`
    expect(nonces.notice).toBe(`${said}: nonces continue from there`)
    const inWindow = new Nonces({ clock, mode: 'window', memory })
    expect(inWindow.notice).toBe(`${said}: nonces start near the clock again`)
    expect(Number(nonces.next(asked))).toBe(last + 1000)
  })

  test('no nonce was more than a minute ahead of a venue that sends its time', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const nonces = new Nonces({ clock, mode: 'strict', memory })
    nonces.setVenueTime(startMs)
    nonces.next(asked)
    clock.advance(3000)
    clock.step(aheadMs)
    expect(Number(nonces.next(asked))).toBe(startMs + 3000)
    expect(memory.trace?.ceiling).toBeLessThan(startMs + 60_000)
    clock.step(-aheadMs)
    const next = new Nonces({ clock, mode: 'strict', memory })
    expect(next.notice).toBeUndefined()
  })

  test('nonces of a window are near the time again at once, in this process and in the next one', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const nonces = new Nonces({ clock, mode: 'window', memory })
    const before = Number(nonces.next(asked))
    clock.step(aheadMs)
    nonces.next(asked)
    clock.advance(3000)
    clock.step(-aheadMs)
    for (const each of [nonces, new Nonces({ clock, mode: 'window', memory })]) {
      clock.advance(each.wait())
      const nonce = Number(each.next(asked))
      expect(nonce).toBeGreaterThan(before)
      expect(Math.abs(nonce - clock.now())).toBeLessThan(nonceWindowMs)
    }
  })
})

test('the memory is written once per second of use or 250 calls, and before the nonce is used', () => {
  const clock = new ManualClock(startMs)
  const memory = kept()
  const nonces = new Nonces({ clock, mode: 'strict', memory })
  for (let call = 0; call < 5000; call++) {
    expect(Number(nonces.next(asked))).toBeLessThanOrEqual(memory.trace?.ceiling ?? 0)
    clock.advance(1)
  }
  expect(memory.saves).toBe(20)
  for (let call = 0; call < 10; call++) {
    nonces.next(asked)
    clock.advance(500)
  }
  expect(memory.saves).toBe(25)
})

describe('another process that uses the same key', () => {
  test('has its nonces respected when ours go on behind their own reserve', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const ours = new Nonces({ clock, mode: 'strict', memory })
    ours.next(asked)
    const theirs = new Nonces({ clock, mode: 'strict', memory })
    theirs.next(asked)
    const theirCeiling = memory.trace?.ceiling ?? 0
    // Ours are used up after a second, within which theirs have reserved another one.
    clock.advance(1000)
    expect(Number(ours.next(asked))).toBeGreaterThan(theirCeiling)
  })

  test('keeps its ceiling when ours end', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const ours = new Nonces({ clock, mode: 'strict', memory })
    ours.next(asked)
    new Nonces({ clock, mode: 'strict', memory }).next(asked)
    const { trace } = memory
    ours.close()
    expect(memory.trace).toBe(trace)
  })

  test('is gone past after a refusal, however far ahead of the clock its nonces are', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const ours = new Nonces({ clock, mode: 'strict', memory })
    ours.next(asked)
    memory.trace = { ceiling: startMs + hourMs, recent: [] }
    ours.leap()
    expect(Number(ours.next(asked))).toBeGreaterThan(startMs + hourMs)
  })
})

test('window nonces stay within the window of the venue, however many are wanted', () => {
  const clock = new ManualClock(startMs)
  const nonces = new Nonces({ clock, mode: 'window' })
  const seen = new Set<string>()
  for (let call = 0; call < 20_000; call++) {
    const wait = nonces.wait()
    if (wait > 0) clock.advance(wait)
    const nonce = nonces.next(asked)
    expect(Math.abs(Number(nonce) - clock.now())).toBeLessThan(nonceWindowMs)
    seen.add(nonce)
  }
  expect(seen.size).toBe(20_000)
})

describe('the file of a key', () => {
  test('is private, is replaced as a whole, and holds no key', () => {
    const path = freshPath()
    const clock = new ManualClock(startMs)
    new Nonces({ clock, mode: 'strict', memory: nonceFile(path) }).next(asked)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      ceiling: startMs + 999,
      recent: [{ agoMs: -1000, calls: 250 }],
      monotonicMs: 0,
    })
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  test('is written aside by each process under a name of its own', () => {
    const path = freshPath()
    const others = `${path}.new`
    writeFileSync(others, 'half of what another process writes')
    // A process of the same number died here while it wrote.
    writeFileSync(`${path}.${process.pid}.new`, 'half')
    nonceFile(path).save({ ceiling: 1, recent: null })
    expect(nonceFile(path).load()).toEqual({ ceiling: 1, recent: null })
    expect(readFileSync(others, 'utf8')).toBe('half of what another process writes')
    rmSync(others)
  })

  test('carries the nonces across a restart', () => {
    const path = freshPath()
    const clock = new ManualClock(startMs)
    const last = new Nonces({ clock, mode: 'strict', memory: nonceFile(path) }).next(asked)
    const next = new Nonces({ clock, mode: 'strict', memory: nonceFile(path) }).next(asked)
    expect(Number(next)).toBe(Number(last) + 1000)
  })

  test('is not needed: where it is damaged, foreign or out of reach, nonces begin above all that it can have held', () => {
    const path = freshPath()
    for (const text of ['', '{', '{"ceiling":"1"}', '{"ceiling":1}', '{"ceiling":-1,"calls":null}', 'null']) {
      const clock = new ManualClock(startMs)
      const before = new Nonces({ clock, mode: 'strict', memory: nonceFile(path) })
      for (let refusals = 0; refusals < 200; refusals++) before.leap()
      const last = Number(before.next(asked))
      writeFileSync(path, text)
      const nonces = new Nonces({ clock, mode: 'strict', memory: nonceFile(path) })
      expect(nonces.notice).toBe(`${path} is not a nonce file: nonces start 32 s ahead of the clock`)
      // The number of recent calls is unknown.
      expect(nonces.recent).toEqual([{ agoMs: 0, calls: Infinity, path: undefined }])
      expect(Number(nonces.next(asked))).toBeGreaterThan(last)
      expect(new Nonces({ clock, mode: 'strict', memory: nonceFile(path) }).notice).toBeUndefined()
      rmSync(path)
    }
    expect(nonceFile(folder).load()).toEqual({ unread: expect.stringMatching(/cannot be read \(EISDIR\)$/) })
    const nowhere = nonceFile(join(folder, 'missing', 'nonce'))
    expect(nowhere.load()).toBeUndefined()
    expect(() => nowhere.save({ ceiling: 1, recent: null })).toThrow(
      expect.objectContaining({ code: 'DATA_MOVED', message: expect.stringContaining('nonce is gone') }),
    )
  })
})

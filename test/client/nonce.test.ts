import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { Nonces } from '#src/client/nonce.ts'
import { nonceFile } from '#src/client/nonce-file.ts'
import { isNonceText, nonceWindowMs } from '#src/contract/envelope.ts'
import { contract } from '#src/contract/table.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { ManualClock } from '#src/time/clock.ts'
import { kept } from './kept-memory.ts'
import { startMs } from './scripted-venue.ts'

const { path: asked } = contract.mainBalance
const folder = mkdtempSync(join(tmpdir(), 'rungs-nonce-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const freshPath = () => join(folder, `nonce-${(files += 1)}`)

test('nonces follow the clock and never stand still', () => {
  const clock = new ManualClock(startMs)
  const nonces = new Nonces({ clock, mode: 'strict' })
  expect([nonces.next(asked), nonces.next(asked)]).toEqual([String(startMs), String(startMs + 1)])
  clock.turn(10)
  expect(nonces.next(asked)).toBe(String(startMs + 10))
  clock.step(-3_600_000)
  expect(nonces.next(asked)).toBe(String(startMs + 11))
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
      const begin = (): Nonces => {
        try {
          return new Nonces({ clock, mode, memory })
        } catch (error) {
          expect(error).toMatchObject({ code: 'NONCE_AHEAD' })
          clock.step(200_000)
          return new Nonces({ clock, mode, memory })
        }
      }
      let nonces = begin()
      let last = 0
      for (const each of events) {
        if (each.kind === 'turn') clock.turn(each.ms)
        else if (each.kind === 'step') clock.step(each.ms)
        else if (each.kind === 'leap') nonces.leap()
        else if (each.kind === 'draw') {
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
    { numRuns: 300 },
  )
})

test('a nonce far ahead of the clock stops the run before it locks the key out', () => {
  const clock = new ManualClock(startMs)
  const memory = kept()
  memory.trace = { ceiling: startMs + 60_000, recent: [] }
  expect(() => new Nonces({ clock, mode: 'strict', memory })).not.toThrow()
  memory.trace = { ceiling: startMs + 60_001, recent: [] }
  expect(() => new Nonces({ clock, mode: 'strict', memory })).toThrow(BotError)
  expect(() => new Nonces({ clock, mode: 'strict', memory })).toThrow(/too far in the future: 60 s ahead/)
})

test('the memory is written once per second of use or 250 calls, and before the nonce is used', () => {
  const clock = new ManualClock(startMs)
  const memory = kept()
  const nonces = new Nonces({ clock, mode: 'strict', memory })
  for (let call = 0; call < 5000; call++) {
    expect(Number(nonces.next(asked))).toBeLessThanOrEqual(memory.trace?.ceiling ?? 0)
    clock.turn(1)
  }
  expect(memory.saves).toBe(20)
  for (let call = 0; call < 10; call++) {
    nonces.next(asked)
    clock.turn(500)
  }
  expect(memory.saves).toBe(25)
})

describe('a leap', () => {
  test('goes above the nonces that another process reserved for the same key', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const ours = new Nonces({ clock, mode: 'strict', memory })
    ours.next(asked)
    const theirs = new Nonces({ clock, mode: 'strict', memory })
    const theirLast = Number(theirs.next(asked))
    expect(Number(ours.next(asked))).toBeLessThan(theirLast)
    ours.leap()
    expect(Number(ours.next(asked))).toBeGreaterThan(theirLast)
  })

  test('never goes so far ahead that a restart would refuse to run', () => {
    const clock = new ManualClock(startMs)
    const memory = kept()
    const nonces = new Nonces({ clock, mode: 'strict', memory })
    for (let refusals = 0; refusals < 200; refusals++) {
      nonces.leap()
      nonces.next(asked)
    }
    expect(() => new Nonces({ clock, mode: 'strict', memory })).not.toThrow()
  })
})

test('window nonces stay within the window of the venue, however many are wanted', () => {
  const clock = new ManualClock(startMs)
  const nonces = new Nonces({ clock, mode: 'window' })
  const seen = new Set<string>()
  for (let call = 0; call < 20_000; call++) {
    const wait = nonces.wait()
    if (wait > 0) clock.turn(wait)
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

  test('is not guessed at when it is damaged, foreign or out of reach', () => {
    const path = freshPath()
    for (const text of ['', '{', '{"ceiling":"1"}', '{"ceiling":1}', '{"ceiling":-1,"calls":null}', 'null']) {
      writeFileSync(path, text)
      expect(() => nonceFile(path).load()).toThrow(/not a nonce file/)
    }
    expect(() => nonceFile(folder).load()).toThrow(BotError)
    const nowhere = nonceFile(join(folder, 'missing', 'nonce'))
    expect(nowhere.load()).toBeUndefined()
    expect(() => nowhere.save({ ceiling: 1, recent: null })).toThrow(/cannot be written/)
  })
})

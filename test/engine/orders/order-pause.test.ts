import { expect, test } from 'vitest'
import type { OrderAnswer } from '#src/engine/events.ts'
import { askingGrid, EngineHarness, fileOf, submitsOf } from '#test/engine/support/engine-harness.ts'

const throttled = (): OrderAnswer => ({ kind: 'not-sent', cause: 'throttled', reason: 'Too many requests' })

test('while the venue has paused orders none is sent, and a backtest evaluates when the pause ends', () => {
  const { harness, step } = askingGrid()
  const [submit] = submitsOf(step)
  if (!submit) throw new Error('nothing was sent')
  const { chunk, orders } = submit
  harness.tell({ kind: 'answered', chunk, orders: orders.map(throttled), pausedMs: 30_000 })
  const paused = harness.at
  while (harness.at < paused + 29_000) {
    harness.quote('BTC_USDT', 60_000)
    expect(submitsOf(harness.wait(1000))).toEqual([])
    expect(harness.recorder.horizon().at).toBe(paused + 30_000)
  }
  harness.quote('BTC_USDT', 60_000)
  expect(submitsOf(harness.wait(1000))).toHaveLength(1)
  expect(harness.notes().filter((type) => type === 'bulk-sent')).toHaveLength(2)
})

test('an exit that was not sent is sent when the pause ends, however often it was tried', () => {
  const harness = new EngineHarness([fileOf('mean-reversion')])
  const past = Array.from({ length: 220 }, (_, index) => 120 + index / 7)
  harness.past('SOL_USDT', '1d', past)
  harness.quote('SOL_USDT', 144, 0.02)
  const closes = Array.from({ length: 40 }, (_, index) => 150 - index / 80)
  harness.settle(harness.past('SOL_USDT', '15m', [...closes, 144]))
  harness.settle(harness.fill('mrev.fade.1.1'))
  harness.at += 1000
  for (let round = 0; round < 8; round++) {
    const [submit] = submitsOf(harness.quote('SOL_USDT', 135 - round / 100, 0.02))
    expect(submit?.priority).toBe('exits')
    if (!submit) return
    const { chunk, orders } = submit
    harness.tell({ kind: 'answered', chunk, orders: orders.map(throttled), pausedMs: 1000 })
    // The pauses between tries of a file, 250 ms and then twice as long each time, say nothing here.
    harness.at += 999
    expect(submitsOf(harness.quote('SOL_USDT', 134.5, 0.02))).toEqual([])
    harness.at += 1
  }
})

import { expect, test } from 'vitest'
import { backtestProgress } from '#src/cli/backtest/backtest-progress.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { runBacktest } from '#src/research/backtest/run-backtest.ts'
import { madeBars } from '#test/research/backtest/market/generated-market.ts'
import { gridWith } from '#test/strategy/strategy-files.ts'

/** A backtest of ten hours, of which each minute takes `ms`: what a terminal or a file gets of its progress. */
async function shownBy(isTTY: boolean, ms: number): Promise<string[]> {
  const clock = new ManualClock(0)
  const shown: string[] = []
  const progress = backtestProgress({ isTTY, write: (text: string) => shown.push(text) > 0 }, clock)
  const market = madeBars({ seed: 4, minutes: 600, price: 60_000, pace: 0.002 })
  const strategies = [{ path: 'grid.yaml', text: gridWith() }]
  const markets = new Map([['BTC_USDT', market]])
  let before = 0
  await runBacktest({ strategies, markets, latencyMs: 50, fill: 'through', seed: 'a' }, (share) => {
    expect(share).toBeGreaterThan(before)
    before = share
    clock.advance(ms)
    progress.passed(share)
  })
  expect(before).toBeGreaterThan(0.95)
  progress.end()
  return shown
}

test('a terminal shows the share of a long backtest, on one line that is removed at its end', async () => {
  const shown = await shownBy(true, 100)
  expect(shown.length).toBeGreaterThan(20)
  const [clear = '', ...texts] = shown[0]?.split(/(?<=K)/) ?? []
  expect(clear).toBe('\r\u001b[K')
  expect(texts.join('')).toMatch(/^[1-9] % of the period, \d+ s left$/)
  expect(shown.at(-1)).toBe('\r\u001b[K')
})

test('a short backtest and a file get nothing of it', async () => {
  expect(await shownBy(true, 1)).toEqual([])
  expect(await shownBy(false, 100)).toEqual([])
})

import { expect, test } from 'vitest'
import { runSimulation } from '#src/research/backtest/run-backtest.ts'
import { openSimulation } from '#src/research/backtest/simulation.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { times } from '#test/properties/runs.ts'
import { madeBars, monday, type GeneratedWalk } from '#test/research/backtest/market/generated-market.ts'
import { everywhere, played } from './step-everywhere.ts'

/** The slow run looks at half a day, `npm test` at half an hour. */
const minutes = times(720, 720, 30)
const walk = { seed: 9, minutes, price: 60_000, pace: 0.0015, from: monday }

type About = { balance?: string; walk?: GeneratedWalk; most?: number }

function inputOf(ladder: string, about: About = {}): BacktestInput {
  const text = `
version: 1
name: wide
markets: { btc: BTC_USDT }
ladder:
  grid: { market: btc, anchor: 60000, ${ladder}, size: { first: 100 quote }, below_min: drop }
rules:
  - { id: go, when: "true", do: [ensure: grid] }
risk:
  max_notional: { total: ${about.most ?? 1_000_000} }
  max_open_orders: 400
  worst_case: { move: -5%, max_loss: ${(about.most ?? 1_000_000) / 2} }
  drawdown: { pause: 90%, halt: 95% }
`
  const market = madeBars(about.walk ?? walk)
  const { balance } = about
  return {
    strategies: [{ path: 'wide.yaml', text }],
    markets: new Map([['BTC_USDT', market]]),
    from: market.beginsAt,
    latencyMs: 50,
    fill: 'through',
    seed: 'a',
    ...(balance !== undefined && { balance }),
  }
}

async function agreed(input: BacktestInput) {
  const [leaping, walking] = [await played(input), await played(input, everywhere)]
  expect(leaping.sent).toEqual(walking.sent)
  expect(leaping.notes).toEqual(walking.notes)
  return walking
}

test('the venue refuses a grid with money for a few of its rungs only a few times an hour', async () => {
  const poor = inputOf(
    'side: both, levels: 60, spacing: { kind: range, from: 57000, to: 63000 }, exit: { mirror: 1 }',
    {
      balance: '1500',
    },
  )
  const { result, notes } = await agreed(poor)
  expect(result.rejected.map(({ reason }) => reason)).toEqual(['Not enough balance.'])
  const { fills } = result.summary
  expect(fills).toBeGreaterThan(3)
  const entries = notes.filter((note) => note.type === 'order-refused' && /^[bs]/.test(note.rung))
  // After each fill, which may have freed money, one of each side; and some by time.
  expect(entries.length).toBeLessThan(4 * fills + minutes / 4)
})

test('rungs outside the price band of the venue are sent when the price has come closer, and counted once a kind', async () => {
  const drift = Math.log(1.1) / minutes
  const wide = inputOf(
    'side: both, levels: 40, spacing: { kind: range, from: 25000, to: 96000 }, exit: { mirror: 1 }',
    {
      walk: { ...walk, drift, pace: 0.0003 },
    },
  )
  const { result, notes } = await agreed(wide)
  expect(result.rejected.map(({ reason }) => reason).sort()).toEqual([
    'The Price should be greater than or equal to …',
    'The Price should be less than or equal to …',
  ])
  const refusals = result.rejected.reduce((sum, { count }) => sum + count, 0)
  expect(refusals).toBeLessThan(40 + minutes / 4)
  // Half of 66000 above it is 99000: in the end the highest rung rests.
  const placed = notes.flatMap((note) => (note.type === 'order-accepted' ? [note.price] : []))
  expect(placed.some((price) => Number(price) > 95_000)).toBe(true)
})

test('while a limit blocks most of a grid, the bot decides hardly more often than without the limit', async () => {
  const grid =
    'side: both, levels: 120, spacing: { kind: range, from: 48000, to: 72000 }, exit: { mirror: 1 }'
  const evaluationsOf = async (most: number) => {
    let count = 0
    const played = inputOf(grid, { most, walk: { ...walk, minutes: 1440 } })
    const stage = await openSimulation(played)
    const { recorder } = stage
    const evaluated = recorder.evaluated.bind(recorder)
    recorder.evaluated = (...about) => {
      count += 1
      evaluated(...about)
    }
    const { summary, blocked } = await runSimulation(stage)
    return { count, fills: summary.fills, reasons: blocked.map(({ reason }) => reason).join() }
  }
  const [free, barred] = [await evaluationsOf(1_000_000), await evaluationsOf(3000)]
  expect(free.reasons).not.toContain('max_notional')
  expect(barred.reasons).toContain('max_notional')
  expect(barred.fills).toBeGreaterThan(200)
  expect(barred.count).toBeLessThan(3 * free.count)
})

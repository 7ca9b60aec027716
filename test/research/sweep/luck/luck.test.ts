import { describe, expect, test } from 'vitest'
import { luckOf, type Luck } from '#src/research/sweep/luck/luck.ts'
import { luckOnShuffled, randomRuns, shuffledMin } from '#src/research/sweep/luck/monte-carlo.ts'
import { pieceReturns } from '#src/research/sweep/luck/piece-returns.ts'
import type { VariantOutcome } from '#src/research/sweep/ranking.ts'
import { luckTexts } from '#src/research/sweep/result-texts.ts'
import { chanceOf } from '#test/research/backtest/market/generated-market.ts'
import { won } from '../outcomes.ts'

const chance = chanceOf(8)
const drift = (mean: number) => Array.from({ length: 100 }, () => chance() - 0.5 + mean)
const outcome = (profit: string, returns: readonly number[], fills = 100): VariantOutcome =>
  Object.assign(won(profit, { fills }), { returns })
const noise = Array.from({ length: 20 }, () => outcome('1', drift(0)))
const fold = { learn: { from: 0, to: 1 }, prove: { from: 1, to: 2 }, rows: [], agreement: null, doubts: [] }
const text = (luck: Luck | undefined) => luckTexts({ ...fold, luck, monteCarlo: undefined })[0]
const spread = { low: -1, middle: 2.5, high: 4, losses: 0.25 }

describe('the best result', () => {
  test('is more than luck if it stands out of the others, and luck if it is one of them', () => {
    const clear = luckOf([...noise, outcome('9', drift(0.2))], 20)
    expect(clear?.probability).toBeLessThan(0.01)
    expect(clear).toMatchObject({ variants: 21 })
    expect(clear?.reason).toBeUndefined()
    expect(clear?.independent).toBeGreaterThan(17)
    const means = noise.map((each) =>
      ('returns' in each ? (each.returns ?? []) : []).reduce((sum, value) => sum + value, 0),
    )
    const lucky = luckOf(noise, means.indexOf(Math.max(...means)))
    expect(lucky?.probability).toBeGreaterThan(0.3)
    // Alone, the same result would look like an edge.
    expect(luckOf([noise[means.indexOf(Math.max(...means))] ?? noise[0]!], 0)?.probability).toBeLessThan(0.1)
  })

  test('cannot be judged without a profit, or with few fills', () => {
    expect(luckOf([outcome('-1', drift(0.3))], 0)).toMatchObject({ probability: 1, reason: 'no profit' })
    expect(
      luckOf(
        [
          outcome(
            '0',
            drift(0).map(() => 0),
          ),
        ],
        0,
      ),
    ).toMatchObject({ probability: 1, reason: 'no profit' })
    expect(luckOf([outcome('5', drift(0.3), 19)], 0)).toMatchObject({ probability: 1, reason: 'few fills' })
    expect(luckOf([outcome('5', drift(0.3), 20)], 0)?.reason).toBeUndefined()
  })

  test('is not judged by results of an earlier version', () => {
    expect(luckOf([outcome('5', drift(0.3)), won('1')], 0)).toBeUndefined()
    expect(luckOf([outcome('5', drift(0.3)), { refused: 'no strategy' }], 0)).toBeDefined()
    expect(luckOf([{ refused: 'no strategy' }], 0)).toBeUndefined()
  })

  test('is as lucky as on shuffled paths, if these say more', () => {
    const all = [...noise, outcome('9', drift(0.2))]
    const random = { runs: 99, asGood: 0.3, paths: spread, starts: spread }
    const luck = luckOf(all, 20, random)
    expect(luck?.probability).toBe(luckOnShuffled(random, luck?.independent ?? 0))
    expect(luck?.probability).toBeGreaterThan(0.3)
    expect(luckTexts({ ...fold, luck, monteCarlo: random })).toEqual([
      expect.stringMatching(
        /^The best result may be luck: .+ of 21 variants \(as many as \d+\.\d .+\) would be as good .+ of (99\.\d|100\.0)%\.$/,
      ),
      expect.stringMatching(
        /^On 99 shuffled paths of the market, it is as good in 30\.0%\. At least \d{3} paths .+ more than luck\.$/,
      ),
      'On 99 random paths made of parts of the market: median 2.50, from -1.00 to 4.00 in 90% of the runs, a loss in 25.0%.',
      'From 99 random start times, for half of the period: median 2.50, from -1.00 to 4.00 in 90% of the runs, a loss in 25.0%.',
    ])
  })
})

test('so many shuffled paths are needed that one result better than all of them is more than luck', () => {
  for (const independent of [1, 2.5, 40]) {
    const runs = shuffledMin(independent)
    const random = (count: number) => ({ runs: count, asGood: 0, paths: spread, starts: spread })
    expect(luckOnShuffled(random(runs), independent)).toBeLessThanOrEqual(0.05 + 1e-12)
    expect(luckOnShuffled(random(runs - 1), independent)).toBeGreaterThan(0.05)
  }
})

test('each way to judge luck has its sentence', () => {
  const base = { variants: 1, independent: 1, sharpe: 0.4, expected: 0 }
  expect(text({ ...base, probability: 0.0000001 })).toBe(
    'The best result is probably more than luck: without an edge, one variant would be as good with a probability of ' +
      'less than 0.1%.',
  )
  expect(text({ ...base, probability: 1, reason: 'no profit' })).toContain('shows no edge')
  expect(text({ ...base, probability: 1, reason: 'few fills' })).toContain('too few fills')
  expect(text(undefined)).toContain('was not computed')
})

test('returns are those of equal parts, and add up to the profit as a share of the start equity', () => {
  const value = Array.from({ length: 250 }, (_, place) => 1000 + (place + 1) * 2)
  const returns = pieceReturns(value, 1000)
  expect(returns).toHaveLength(100)
  expect(returns.slice(0, 3)).toEqual([0.004, 0.006, 0.004])
  expect(returns.reduce((sum, each) => sum + each, 0)).toBeCloseTo(0.5, 9)
})

test('random runs stay within the period, and depend on the seed', () => {
  const period = { from: 1_000_000, to: 8_200_000 }
  const settings = { runs: 50, seed: 'one', partMs: 60_000 }
  const made = randomRuns(period, settings)
  expect(randomRuns(period, settings)).toEqual(made)
  expect(randomRuns(period, { ...settings, seed: 'two' })).not.toEqual(made)
  const { shuffled, paths, starts } = made
  expect([shuffled.length, paths.length, starts.length]).toEqual([50, 50, 50])
  expect(new Set(shuffled.map(({ draw }) => draw?.seed)).size).toBe(50)
  expect(shuffled[0]?.draw).toMatchObject({ kind: 'shuffle', partMs: 60_000 })
  expect(paths[0]?.draw).toMatchObject({ kind: 'bootstrap', partMs: 360_000 })
  for (const { period: own, draw } of starts) {
    expect(draw).toBeUndefined()
    expect(own.to - own.from).toBe(3_600_000)
    expect(own.from).toBeGreaterThanOrEqual(period.from)
    expect(own.to).toBeLessThanOrEqual(period.to)
  }
  expect(new Set(starts.map((each) => each.period.from)).size).toBeGreaterThan(45)
})

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  effectiveTrials,
  expectedMaximum,
  momentsOf,
  probabilisticSharpe,
  sharpeOf,
} from '#src/research/sweep/luck/deflated-sharpe.ts'
import { normalBelow, normalQuantile } from '#src/research/sweep/luck/normal-distribution.ts'
import { chanceOf } from '#test/research/backtest/market/generated-market.ts'
import { pythonOf, scientificPython } from '#test/support/peers.ts'

const pairs = z.array(z.tuple([z.number(), z.number()]))
const answer = z.object({
  moments: z.array(
    z.object({ mean: z.number(), variance: z.number(), skew: z.number(), kurtosis: z.number() }),
  ),
  independent: z.number(),
  expected: z.number(),
  probabilities: z.array(z.number()),
  below: pairs,
  quantiles: pairs,
})

/** Thirty series with fat tails, a common part and different edges. */
function madeTrials(): number[][] {
  const chance = chanceOf(11)
  const draw = () => (chance() - 0.5) ** 3 + (chance() < 0.03 ? -0.4 * chance() : 0)
  const common = Array.from({ length: 100 }, draw)
  return Array.from({ length: 30 }, (_, trial) => common.map((part) => 0.6 * part + draw() + trial / 1000))
}

const near = (own: number, other: number) => Math.abs(own - other) <= 1e-9 * Math.max(1e-3, Math.abs(other))

test('scipy computes the same deflated Sharpe ratios', ({ skip }) => {
  skip(pythonOf() === undefined, 'no python3 of version 3.11 or later was found')
  const trials = madeTrials()
  const script = fileURLToPath(new URL('statistics/sharpe.py', import.meta.url))
  const { status, stdout, stderr } = spawnSync(scientificPython(), ['-B', script], {
    input: JSON.stringify(trials),
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  const theirs = answer.parse(JSON.parse(stdout))
  const independent = effectiveTrials(trials)
  const moments = trials.map(momentsOf)
  const expected = expectedMaximum(independent, momentsOf(moments.map(sharpeOf)).variance)
  expect([independent, expected]).toEqual([
    expect.closeTo(theirs.independent, 9),
    expect.closeTo(theirs.expected, 9),
  ])
  expect(independent).toBeLessThan(25)
  for (const [trial, own] of moments.entries()) {
    const other = theirs.moments[trial]
    expect(
      other &&
        (['mean', 'variance', 'skew', 'kurtosis'] as const).every((name) => near(own[name], other[name])),
    ).toBe(true)
    expect(probabilisticSharpe(own, expected)).toBeCloseTo(theirs.probabilities[trial] ?? 0, 9)
  }
  const shares = theirs.probabilities.toSorted((a, b) => a - b)
  expect([(shares[0] ?? 1) < 0.3, (shares.at(-1) ?? 0) > 0.7]).toEqual([true, true])
  for (const [x, share] of theirs.below) expect(Math.abs(normalBelow(x) / share - 1)).toBeLessThan(1e-11)
  for (const [share, x] of theirs.quantiles)
    expect(Math.abs(normalQuantile(share) - x)).toBeLessThan(1e-9 * Math.max(1, Math.abs(x)))
})

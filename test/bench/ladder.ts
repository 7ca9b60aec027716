import { deepEqual } from 'node:assert/strict'
import { Decimal as Bare } from 'decimal.js'
import { buildLadder } from '#src/ladder/ladder.ts'
import type { LadderPlan } from '#src/ladder/plan.ts'
import { decimal } from '#src/money/decimal.ts'
import { market } from '../ladder/market.ts'

/**
 * P6: a ladder of a thousand rungs, geometric in prices and in sizes, against the least code that computes the same with
 * decimal.js alone: no other shape, no minimums, no limit on the budget, no report. Both must say the same, digit for
 * digit, before anything is timed. Also bare at 80 digits, which is what all other Decimals of this project have.
 */
const levels = 1000
const rounds = 40
const must = 1.3

const plan: LadderPlan = {
  side: 'buy',
  levels,
  spacing: { kind: 'geometric', first: decimal('0.001'), step: decimal('0.0005'), grow: decimal('1.0005') },
  shape: { kind: 'geometric', ratio: decimal('1.001') },
  budget: { amount: decimal('1000000'), of: 'quote', for: 'all' },
  belowMin: 'refuse',
  leftover: 'keep',
}
const anchor = decimal('60000')

type Row = [price: string, amount: string, notional: string]
type Contender = { name: string; run(): { price: Bare; amount: Bare; notional: Bare }[]; times: number[] }

function bare(name: string, precision: number): Contender {
  const Decimal = Bare.clone({ precision, rounding: Bare.ROUND_DOWN })
  const one = new Decimal(1)
  const [first, grow, ratio] = [new Decimal('0.001'), new Decimal('1.0005'), new Decimal('1.001')]
  const [budget, start, firstStep] = [new Decimal(1_000_000), new Decimal(60_000), new Decimal('0.0005')]
  return {
    name,
    times: [],
    run() {
      const prices: Bare[] = []
      const weights: Bare[] = []
      let [price, gap, step, weight, sum] = [start, first, firstStep, one, new Decimal(0)]
      for (let level = 0; level < levels; level++) {
        price = price.times(one.minus(gap))
        gap = step
        step = step.times(grow)
        prices.push(price.toDecimalPlaces(2, Bare.ROUND_FLOOR))
        weights.push(weight)
        sum = sum.plus(weight)
        weight = weight.times(ratio)
      }
      return prices.map((price, level) => {
        const share = budget.times(weights[level] ?? one).div(sum)
        const amount = share.div(price).toDecimalPlaces(6, Bare.ROUND_FLOOR)
        return { price, amount, notional: amount.times(price) }
      })
    },
  }
}

const ours: Contender = {
  name: 'ours',
  times: [],
  run() {
    const ladder = buildLadder(plan, anchor, market)
    if ('refusal' in ladder) throw new Error(ladder.refusal)
    return ladder.rungs
  },
}

const contenders = [ours, bare('bare', 40), bare('bare, 80 digits', 80)]
const texts = (contender: Contender): Row[] =>
  contender
    .run()
    .map(({ price, amount, notional }) => [price.toFixed(), amount.toFixed(), notional.toFixed()])
for (const contender of contenders) deepEqual(texts(contender), texts(ours), contender.name)

// In turns, so that whatever else this machine does falls on all of them alike.
for (let round = 0; round < rounds; round++) {
  for (const contender of contenders) {
    const start = performance.now()
    contender.run()
    contender.times.push(performance.now() - start)
  }
}

const medianOf = ({ times }: Contender) => times.sort((a, b) => a - b)[times.length >> 1] ?? 0
const floor = medianOf(contenders[1] ?? ours)
for (const contender of contenders) {
  const median = medianOf(contender)
  const line = `${contender.name.padEnd(16)} ${median.toFixed(2).padStart(7)} ms   ${(median / floor).toFixed(2)} x`
  process.stdout.write(`${line}\n`)
}
process.stdout.write(`must be at most ${must} x of bare\n`)
process.exitCode = medianOf(ours) / floor <= must ? 0 : 1

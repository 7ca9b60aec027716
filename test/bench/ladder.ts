import { deepEqual } from 'node:assert/strict'
import { Decimal as Bare } from 'decimal.js'
import { buildLadder } from '#src/market/ladder/ladder.ts'
import type { LadderPlan } from '#src/market/ladder/plan.ts'
import { inDecimals, ladderInTicks } from '#src/market/ladder/tick-ladder.ts'
import { decimal } from '#src/core/money/decimal.ts'
import { market } from '#test/market/ladder/market.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

/**
 * P6: a ladder of a thousand rungs, geometric in prices and in sizes, against the least code that computes the same with
 * decimal.js alone: no other shape, no minimums, no limit on the budget, no report. Both must say the same, digit for
 * digit, before anything is timed. Also bare at 80 digits, which is what all other Decimals of this project have, and in
 * ticks, without the Decimals that nobody needs there.
 */
const levels = 1000
const rounds = 40
/** It takes so little time that a single run says nothing. */
const ticksPerRound = 50

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
type Rungs = { price: Bare; amount: Bare; notional: Bare }[]
type Contender = { name: string; run(): unknown; rungs(): Rungs; times: number[] }

function bare(name: string, precision: number): Contender {
  const Decimal = Bare.clone({ precision, rounding: Bare.ROUND_DOWN })
  const one = new Decimal(1)
  const [first, grow, ratio] = [new Decimal('0.001'), new Decimal('1.0005'), new Decimal('1.001')]
  const [budget, start, firstStep] = [new Decimal(1_000_000), new Decimal(60_000), new Decimal('0.0005')]
  return {
    name,
    times: [],
    run() {
      return this.rungs()
    },
    rungs() {
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
  run: () => buildLadder(plan, anchor, market),
  rungs() {
    const ladder = buildLadder(plan, anchor, market)
    if ('refusal' in ladder) throw new Error(ladder.refusal)
    return ladder.rungs
  },
}

const inTicks: Contender = {
  name: 'in ticks',
  times: [],
  run: () => ladderInTicks(plan, anchor, market),
  rungs() {
    const ladder = ladderInTicks(plan, anchor, market)
    if (!ladder) throw new Error('this ladder is too much for ticks')
    return inDecimals(ladder, market).rungs
  },
}

const reference = bare('bare', 40)
const contenders = [ours, inTicks, reference, bare('bare, 80 digits', 80)]
const texts = (contender: Contender): Row[] =>
  contender
    .rungs()
    .map(({ price, amount, notional }) => [price.toFixed(), amount.toFixed(), notional.toFixed()])
for (const contender of contenders) deepEqual(texts(contender), texts(ours), contender.name)

// In turns, so that whatever else this machine does falls on all of them alike.
for (let round = 0; round < rounds; round++) {
  for (const contender of contenders) {
    const start = performance.now()
    for (let time = 0; time < (contender === inTicks ? ticksPerRound : 1); time++) contender.run()
    contender.times.push((performance.now() - start) / (contender === inTicks ? ticksPerRound : 1))
  }
}

const [ms = 0, ticksMs = 0, floor = 0] = contenders.map(({ times }) => medianOf(times))
for (const { name, times } of contenders)
  note(
    `${name.padEnd(16)} ${medianOf(times).toFixed(3).padStart(8)} ms   ${(medianOf(times) / floor).toFixed(3)} x`,
  )
report({ goal: 'P6', what: '1,000 rungs', ours: ms, floor, ratio: ms / floor, unit: 'ms', atMost: 1.3 })
report({
  goal: 'P6',
  what: '1,000 rungs in ticks, times as fast',
  ours: ticksMs,
  ratio: ms / ticksMs,
  unit: 'ms',
  atLeast: 50,
})

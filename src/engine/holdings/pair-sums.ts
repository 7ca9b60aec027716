import { formatAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { pairsOf } from './pair-matching.ts'
import type { Pairs } from './pairs.ts'
import type { Holding, StrategyState } from '#src/engine/state/state.ts'

/** Profit of a rung's matched pairs, and its open amount. */
export type RungPairs = {
  ladder: string
  level: string
  /** Entry orders that were closed in full. */
  pairs: number
  /** Profit of the closed amount, after the fees of both sides. */
  profit: string
  /** Negative for an amount that was sold first. */
  open: string
  /** Value of the open amount at the current price, less its money and fees; null without a price. */
  floating: string | null
}

/** By `ladder.level`. */
export function rungPairsOf({ lots, closed }: Pairs, price: Decimal | undefined): Map<string, RungPairs> {
  const rungs = new Map<string, RungPairs>()
  for (const [key, { ladder, level, orders, profit }] of Object.entries(closed))
    rungs.set(key, { ladder, level, pairs: orders, profit, open: '0', floating: '0' })
  for (const { ladder, level, amount, money, fee } of lots) {
    const key = `${ladder}.${level}`
    const none = { ladder, level, pairs: 0, profit: '0', open: '0', floating: '0' }
    const { open, floating, ...rung } = rungs.get(key) ?? none
    const worth = price?.times(amount).minus(money).minus(fee)
    rungs.set(key, {
      ...rung,
      open: new Decimal(open).plus(amount).toFixed(),
      floating: floating === null || !worth ? null : worth.plus(floating).toFixed(),
    })
  }
  return rungs
}

/** Grid profit: the sum over all matched pairs. */
export type PairSums = { pairs: number; gridProfit: string }

export function pairSumsOf(all: Iterable<Pairs>): PairSums {
  let [pairs, profits] = [0, 0n]
  for (const { closed } of all)
    for (const { orders, profit } of Object.values(closed)) {
      pairs += orders
      profits += parseSignedAtoms(profit)
    }
  return { pairs, gridProfit: formatAtoms(profits) }
}

/** The parts of a strategy's result: grid profit, floating result, and the result before pairs were counted. */
export type ResultParts = PairSums & { floating: string; earlier: string }

/** `floating` uses the price of the last result, so that the parts add up to it. */
export function resultPartsOf({ holdings, worth }: Pick<StrategyState, 'holdings' | 'worth'>): ResultParts {
  const parts = Object.values(holdings).map(partsOf)
  const sum = (of: (part: Parts) => bigint) => parts.reduce((total, part) => total + of(part), 0n)
  const [profit, earlier] = [sum((part) => part.profit), sum((part) => part.earlier)]
  return {
    pairs: parts.reduce((total, part) => total + part.pairs, 0),
    gridProfit: formatAtoms(profit),
    floating: new Decimal(worth.result).minus(formatAtoms(profit + earlier)).toFixed(),
    earlier: formatAtoms(earlier),
  }
}

type Parts = { pairs: number; profit: bigint; earlier: bigint }
/** Cached until the next fill: prices come much more often. */
const known = new WeakMap<Pairs, Parts>()

function partsOf(holding: Holding): Parts {
  const pairs = pairsOf(holding)
  let parts = known.get(pairs)
  if (!parts) {
    const sums = pairSumsOf([pairs])
    const profit = parseSignedAtoms(sums.gridProfit)
    parts = { pairs: sums.pairs, profit, earlier: earlierOf(holding, pairs, profit) }
    known.set(pairs, parts)
  }
  return parts
}

/** Money of fills that are in no pair. */
function earlierOf({ cost, realized, fees }: Holding, { lots }: Pairs, profit: bigint): bigint {
  const open = lots.reduce((sum, { money, fee }) => sum + parseSignedAtoms(money) + parseSignedAtoms(fee), 0n)
  return parseSignedAtoms(realized) - parseSignedAtoms(fees) - parseSignedAtoms(cost) + open - profit
}

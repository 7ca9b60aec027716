import { formatAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { pairsOf } from './pair-matching.ts'
import type { Pairs } from './pairs.ts'
import type { Holding, StrategyState } from '#src/engine/state/state.ts'

/** What a rung has made with its matched pairs, and what of it is open. */
export type RungPairs = {
  ladder: string
  level: string
  /** Entry orders that were closed in full. */
  pairs: number
  /** Of what was closed, after the fees of both sides. */
  profit: string
  /** Below zero for what was sold first. */
  open: string
  /** What the open amount is worth at the price of now, less its money and fees; null without a price. */
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

/** The parts of the result of a strategy: grid profit, floating result, and what was made before pairs were counted. */
export type ResultParts = PairSums & { floating: string; earlier: string }

/** `floating` is taken at the price of the last result, so that the parts are the result. */
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
/** Until the next fill: prices come much more often. */
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

/** What fills have brought in and taken out without being in any pair. */
function earlierOf({ cost, realized, fees }: Holding, { lots }: Pairs, profit: bigint): bigint {
  const open = lots.reduce((sum, { money, fee }) => sum + parseSignedAtoms(money) + parseSignedAtoms(fee), 0n)
  return parseSignedAtoms(realized) - parseSignedAtoms(fees) - parseSignedAtoms(cost) + open - profit
}

import { formatAtoms, parseSignedAtoms } from '#src/money/atoms.ts'
import { Decimal } from '#src/money/decimal.ts'
import { pairsOf } from './matching.ts'
import type { Pairs } from './pairs.ts'
import type { Holding, StrategyState } from './state.ts'

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
  const all = Object.values(holdings)
  const sums = pairSumsOf(all.map(pairsOf))
  const earlier = all.reduce((sum, holding) => sum + earlierOf(holding), 0n)
  const parts = parseSignedAtoms(sums.gridProfit) + earlier
  const floating = new Decimal(worth.result).minus(formatAtoms(parts)).toFixed()
  return { ...sums, floating, earlier: formatAtoms(earlier) }
}

/** What fills have brought in and taken out without being in any pair. */
function earlierOf(holding: Holding): bigint {
  const { cost, realized, fees } = holding
  const { lots, closed } = pairsOf(holding)
  const inLots = lots.reduce(
    (sum, { money, fee }) => sum + parseSignedAtoms(money) + parseSignedAtoms(fee),
    0n,
  )
  const inPairs = Object.values(closed).reduce((sum, { profit }) => sum + parseSignedAtoms(profit), 0n)
  return parseSignedAtoms(realized) - parseSignedAtoms(fees) - parseSignedAtoms(cost) - (inPairs - inLots)
}

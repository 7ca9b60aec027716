import type { MarketRules, Rung } from '#src/ladder/plan.ts'
import type { Decimal } from '#src/money/decimal.ts'
import type { LadderFile } from './ladder-schema.ts'
import type { Placed } from './rungs.ts'

/** What one round trip earns, as a share of the price: before and after the fees of both ends. */
export type Edge = { gross: Decimal; net: Decimal }

/** Of the exits whose price is known beforehand: the mirror and the take profit. Undefined for the others. */
export function edgesOf(file: LadderFile, placed: Placed, market: MarketRules): Map<Rung, Edge> {
  const edges = new Map<Rung, Edge>()
  const { mirror, tp } = file.exit ?? {}
  const lines = [...placed.rungs.map(({ price }) => price), placed.anchor].sort((a, b) => a.cmp(b))
  const lineOf = new Map(lines.map((price, line) => [price.toFixed(), line]))
  for (const rung of placed.rungs) {
    if (mirror !== undefined) {
      const line = lineOf.get(rung.price.toFixed()) ?? 0
      const exit = lines[rung.side === 'buy' ? line + mirror : line - mirror]
      if (exit === undefined) continue
      const gross = exit.minus(rung.price).abs().div(rung.price)
      edges.set(rung, { gross, net: gross.minus(market.makerFee).minus(market.makerFee) })
    } else if (tp) {
      const fee = tp.mode === 'on_touch_ioc' ? market.takerFee : market.makerFee
      edges.set(rung, { gross: tp.pct, net: tp.pct.minus(market.makerFee).minus(fee) })
    }
  }
  return edges
}

/** What is lost when such a move fills every entry it reaches, and stays where it ends. */
export function lossOf(placed: Placed, move: Decimal): Decimal {
  const end = placed.anchor.times(move.plus(1))
  let loss = end.minus(end)
  for (const { side, price, amount } of placed.rungs) {
    const isReached = side === 'buy' ? price.gte(end) : price.lte(end)
    if (!isReached || (side === 'buy') !== move.lt(0)) continue
    loss = loss.plus((side === 'buy' ? price.minus(end) : end.minus(price)).times(amount))
  }
  return loss
}

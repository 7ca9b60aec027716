import type { MarketRules, Rung } from '#src/market/ladder/plan.ts'
import { exact } from '#src/core/money/bounded.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import { endOf, type Range } from '#src/strategy/expressions/range.ts'
import type { Placed } from './rungs.ts'

/** The profit of one round trip as a share of the price: before and after the fees of both orders. */
export type Edge = { gross: Decimal; net: Decimal }

type PlacedRung = Pick<Rung, 'level' | 'side' | 'price'>

/** For exits with a known price: mirror and take profit. */
export function edgesOf<Some extends PlacedRung>(
  file: LadderFile,
  { rungs, anchor }: { rungs: readonly Some[]; anchor: Decimal },
  market: MarketRules,
): Map<Some, Edge> {
  const edges = new Map<Some, Edge>()
  const { mirror, tp } = file.exit ?? {}
  const prices = [...rungs.map(({ price }) => price), anchor].sort((a, b) => a.cmp(b))
  const lines = prices.filter((price, index) => prices[index - 1]?.eq(price) !== true)
  const lineOf = new Map(lines.map((price, line) => [price.toFixed(), line]))
  for (const rung of rungs) {
    if (mirror !== undefined) {
      const away = rung.side === 'buy' ? mirror : -mirror
      const exit = lineAt(lines, (lineOf.get(rung.price.toFixed()) ?? 0) + away)
      const gross = exit.minus(rung.price).abs().div(rung.price)
      edges.set(rung, { gross, net: gross.minus(market.makerFee).minus(market.makerFee) })
    } else if (tp) {
      const fee = tp.mode === 'on_touch_ioc' ? market.takerFee : market.makerFee
      edges.set(rung, { gross: tp.pct, net: tp.pct.minus(market.makerFee).minus(fee) })
    }
  }
  return edges
}

/** Beyond the outermost lines the lines continue with the last distance. There is at least one line: the anchor. */
function lineAt(lines: readonly Decimal[], line: number): Decimal {
  const inside = Math.min(Math.max(line, 0), lines.length - 1)
  const last = lines[inside]!
  const before = lines[line < 0 ? 1 : lines.length - 2] ?? last
  return last.plus(last.minus(before).times(Math.abs(line - inside)))
}

/** A message about the first rung whose exit earns less than `min_edge`; undefined if there is none. */
export function tooNarrow(
  name: string,
  { min_edge: multiple }: LadderFile,
  edges: ReadonlyMap<PlacedRung, Edge>,
  { makerFee }: MarketRules,
): string | undefined {
  if (multiple === undefined) return undefined
  const least = multiple.times(Decimal.max(0, makerFee))
  for (const [{ level }, { gross }] of edges) {
    if (gross.gte(least)) continue
    return `level ${level} of ${name} earns ${percentText(gross)} before fees, less than ${percentText(least)}`
  }
  return undefined
}

/** The loss if this move, from the worst price of the range, fills every entry that it reaches and the price stays there. */
export function lossOf(placed: Placed, move: Decimal, range: Range | undefined): Decimal {
  const end = endOf(exact, move, placed.anchor, range)
  let loss = end.minus(end)
  for (const { side, price, amount } of placed.rungs) {
    const isReached = side === 'buy' ? price.gte(end) : price.lte(end)
    if (!isReached || (side === 'buy') !== move.lt(0)) continue
    loss = loss.plus((side === 'buy' ? price.minus(end) : end.minus(price)).times(amount))
  }
  return loss
}

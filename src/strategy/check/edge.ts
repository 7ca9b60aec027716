import type { MarketRules, Rung } from '#src/market/ladder/plan.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { LadderFile } from '#src/strategy/schema/ladder-schema.ts'
import { endOf, type Range } from '#src/strategy/expressions/range.ts'
import type { Placed } from './rungs.ts'

/** What one round trip earns, as a share of the price: before and after the fees of both ends. */
export type Edge = { gross: Decimal; net: Decimal }

type Stands = Pick<Rung, 'level' | 'side' | 'price'>

/** Of the exits whose price is known beforehand: the mirror and the take profit. None for the others. */
export function edgesOf<Some extends Stands>(
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

/** Beyond the outermost ones they go on as far apart as the last two. There is one at least: the anchor. */
function lineAt(lines: readonly Decimal[], line: number): Decimal {
  const inside = Math.min(Math.max(line, 0), lines.length - 1)
  const last = lines[inside]!
  const before = lines[line < 0 ? 1 : lines.length - 2] ?? last
  return last.plus(last.minus(before).times(Math.abs(line - inside)))
}

/** The first rung whose exit stands nearer than `min_edge` lets it, in words; undefined where none does. */
export function tooNarrow(
  name: string,
  { min_edge: multiple }: LadderFile,
  edges: ReadonlyMap<Stands, Edge>,
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

/** For people: cut to a hundredth of a percent and below. */
export function percentText(ratio: Decimal): string {
  return `${ratio.times(100).toDecimalPlaces(3).toFixed()}%`
}

/** The loss when such a move, from the worst price of the range, fills each entry that it reaches and stays at its end. */
export function lossOf(placed: Placed, move: Decimal, range: Range | undefined): Decimal {
  const end = endOf(move, placed.anchor, range)
  let loss = end.minus(end)
  for (const { side, price, amount } of placed.rungs) {
    const isReached = side === 'buy' ? price.gte(end) : price.lte(end)
    if (!isReached || (side === 'buy') !== move.lt(0)) continue
    loss = loss.plus((side === 'buy' ? price.minus(end) : end.minus(price)).times(amount))
  }
  return loss
}

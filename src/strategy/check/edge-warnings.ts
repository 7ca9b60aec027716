import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import type { Rung, OrderSide } from '#src/market/ladder/plan.ts'
import { tooNarrow } from './edge.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { closes, exitWords } from '#src/strategy/schema/exit-schema.ts'
import type { PlacedLadder } from './preview.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

/**
 * Warns of round trips that cost more in fees than they earn: by the exit of a ladder, or between a buy and a sell
 * ladder.
 */
export function edgeWarnings(strategy: Strategy, placed: readonly PlacedLadder[]): StrategyFault[] {
  return [...placed.flatMap(narrowExit), ...narrowQuotes(strategy, placed)]
}

/** The take profit or the mirror with the smallest profit. */
function narrowExit({ name, file, market, edges }: PlacedLadder): StrategyFault[] {
  // A ladder below its `min_edge` is refused already.
  if (tooNarrow(name, file, edges, market) !== undefined) return []
  const [worst] = [...edges].sort(([, one], [, other]) => one.net.cmp(other.net))
  if (!worst?.[1].net.lt(0)) return []
  const [{ level }, { gross, net }] = worst
  const message =
    `level ${level} of ${name} earns ${percentText(gross)} before fees, and the fees of both sides are ` +
    `${percentText(gross.minus(net))}: each round trip loses money`
  return exitWords(file).flatMap(({ key, edge }) =>
    edge ? [{ path: ['ladder', name, 'exit', key, ...edge.path], message, hint: edge.hint }] : [],
  )
}

type Quote = { ladder: PlacedLadder; rung: Rung }

/** The nearest buy and the nearest sell of one market: fills of a ladder without an exit are closed by the other ladder. */
function narrowQuotes(strategy: Strategy, ladders: readonly PlacedLadder[]): StrategyFault[] {
  const sells = quotesOf(ladders, 'sell')
  return quotesOf(ladders, 'buy').flatMap((buy) =>
    sells.flatMap((sell): StrategyFault[] => {
      if (buy.ladder.file.market !== sell.ladder.file.market) return []
      if (hasExit(buy) && hasExit(sell)) return []
      if (!coexist(strategy, buy.ladder.name, sell.ladder.name)) return []
      const apart = sell.rung.price.minus(buy.rung.price).div(buy.rung.price)
      // Both orders rest and fill as maker.
      const fees = buy.ladder.market.makerFee.times(2)
      if (apart.gte(fees)) return []
      const message =
        `level ${buy.rung.level} of ${buy.ladder.name} buys at ${decimalText(buy.rung.price)} and ` +
        `level ${sell.rung.level} of ${sell.ladder.name} sells at ${decimalText(sell.rung.price)}, ` +
        `${percentText(apart)} apart, and the fees of both trades are ${percentText(fees)}: each round trip loses money`
      const hint = 'increase the distance of the first levels'
      return [{ path: ['ladder', buy.ladder.name, 'spacing'], onKey: true, message, hint }]
    }),
  )
}

function quotesOf(ladders: readonly PlacedLadder[], side: OrderSide): Quote[] {
  return ladders.flatMap((ladder) => {
    const rungs = ladder.placed.rungs.filter((rung) => rung.side === side)
    const prices = rungs.map(({ price }) => price)
    if (prices.length === 0) return []
    const nearest = side === 'buy' ? Decimal.max(...prices) : Decimal.min(...prices)
    return rungs.filter(({ price }) => price.eq(nearest)).map((rung) => ({ ladder, rung }))
  })
}

function hasExit({ ladder: { file } }: Quote): boolean {
  return closes(file) || file.exit?.mirror !== undefined
}

/** Whether a rule ensures one ladder while the other keeps its orders. */
function coexist({ rules }: Strategy, one: string, other: string): boolean {
  const isIn = (named: readonly (string | undefined)[]) => named.includes(one) || named.includes(other)
  return rules.some(
    ({ do: actions }) =>
      isIn(actions.map(({ ensure }) => ensure)) &&
      !isIn(actions.map(({ retire, freeze }) => retire ?? freeze)),
  )
}

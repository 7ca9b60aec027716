import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import type { InMoney } from '#src/strategy/file/capital.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { amendMost } from '#src/strategy/schema/ladder-schema.ts'
import { sumOf, type PlacedLadder, type Preview } from './preview.ts'

/** Limits without room for the old and the new order of an amendment: the bot then cancels and places instead. */
export function amendWarnings({ risk }: InMoney, { placed }: Preview): StrategyFault[] {
  const amended = rungsOf(placed.filter(({ file }) => typeof file.rebase === 'object' && file.rebase.amend))
  // If more rungs move, some of them may stay because of hysteresis, or trade in another market.
  const together = amended.length > amendMost ? 1 : amended.length
  const isTwice = new Set(amended.toSorted((a, b) => b.notional.comparedTo(a.notional)).slice(0, together))
  const tight = (path: string[], own: readonly PlacedLadder[], most: Decimal | undefined) => {
    const again = rungsOf(own).filter((rung) => isTwice.has(rung))
    const cost = Decimal.sum(0, ...own.map(({ placed: { rungs } }) => sumOf(rungs, 'notional')))
    const needed = Decimal.sum(cost, ...again.map(({ notional }) => notional))
    if (again.length === 0 || most === undefined || needed.lte(most)) return []
    const message =
      `amend needs room for the old and the new order: all rungs cost ${decimalText(cost)}, and with ` +
      `${again.length === 1 ? 'one amended order' : 'the amended orders'} twice ${decimalText(needed)}, more than ` +
      `${decimalText(most)}. Without it, the bot cancels and places`
    const enough = decimalText(needed.times(fullestShare(own)).toSignificantDigits(4, Decimal.ROUND_UP))
    return [{ path: ['risk', ...path], message, hint: `write at least ${enough}, or remove amend` }]
  }
  return Object.entries(risk.max_notional).flatMap(([name, most]) =>
    name === 'net'
      ? []
      : tight(
          ['max_notional', name],
          placed.filter(({ file }) => name === 'total' || file.market === name),
          most,
        ),
  )
}

function rungsOf(ladders: readonly PlacedLadder[]) {
  return ladders.flatMap(({ placed: { rungs } }) => rungs)
}

/** At other prices, rounding to the lot can leave less of the capital unused. */
function fullestShare(ladders: readonly PlacedLadder[]): Decimal {
  const shares = ladders.map(({ placed: { budget, unused } }) => budget.div(budget.minus(unused)))
  return Decimal.max(1, ...shares.filter((share) => share.isFinite()))
}

import { exact } from '#src/core/money/bounded.ts'
import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { smallestAmount } from '#src/market/ladder/smallest-amount.ts'
import { endOf } from '#src/strategy/expressions/range.ts'
import { moneyOfLimit, type InMoney } from '#src/strategy/file/capital.ts'
import { laddersClosed } from '#src/strategy/file/rule-goals.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import { lossOf } from './edge.ts'
import { sumOf, type PlacedLadder, type Preview } from './preview.ts'

/** Closes whose `daily_loss` is less than the loss of the smallest order after the move of the worst case. */
export function closeWarnings(strategy: InMoney, { placed, equity }: Preview): StrategyFault[] {
  return strategy.rules.flatMap(({ do: actions }, rule) =>
    actions.flatMap(({ close }, action): StrategyFault[] => {
      if (close?.daily_loss === undefined) return []
      const most = moneyOfLimit(close.daily_loss, equity)
      const names = laddersClosed(close.of, strategy.ladder)
      const own = placed.filter(({ name }) => names.includes(name))
      const losses = own.flatMap((ladder) =>
        strategy.risk.worst_case.move.flatMap((move) => lossesOfSmallest(ladder, move)),
      )
      const found = losses.find(({ loss }) => loss.gt(most))
      if (!found) return []
      const message = `${found.text}, more than ${decimalText(most)}: then the rule closes nothing`
      const path = ['rules', rule, 'do', action, 'close', 'daily_loss']
      return [{ path, message, hint: 'raise daily_loss' }]
    }),
  )
}

/** None if the move does not lose. */
function lossesOfSmallest({ name, placed, market }: PlacedLadder, move: Decimal) {
  const end = endOf(exact, move, placed.anchor, undefined)
  const losing = placed.rungs.filter((rung) => lossOf({ ...placed, rungs: [rung] }, move, undefined).gt(0))
  if (losing.length === 0 || !end.gt(0)) return []
  const amount = smallestAmount(market, end)
  const whole = lossOf(placed, move, undefined)
  const loss = whole.times(amount).div(sumOf(losing, 'amount')).toSignificantDigits(4, Decimal.ROUND_UP)
  const at = decimalText(end.toDecimalPlaces(market.priceDigits))
  const text =
    `after a move of ${percentText(move)}, the smallest order of ${name} (${decimalText(amount)} at ${at}) loses ` +
    decimalText(loss)
  return [{ loss, text }]
}

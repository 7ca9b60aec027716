import { Decimal, decimalText } from '#src/core/money/decimal.ts'
import { mostActive, type InMoney } from '#src/strategy/file/capital.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import { listText } from '#src/strategy/schema/exit-schema.ts'
import { percentText } from '#src/strategy/schema/quantities.ts'
import { growthOf } from './growth.ts'
import { sumOf, type PlacedLadder, type Preview } from './preview.ts'

const unusedShareMax = 0.25

/** Limits that allow more or less than their author may expect, and capital that no order uses. */
export function limitWarnings(strategy: InMoney, preview: Preview): StrategyFault[] {
  return [
    ...wideActive(strategy),
    ...narrowNet(strategy, preview),
    ...unpaid(strategy, preview),
    ...harmlessMove(strategy, preview),
    ...stoppedGrowth(strategy, preview),
    ...preview.placed.flatMap(unusedCapital),
  ]
}

/** All markets of the list can be active. A list that grows may begin like this. */
function wideActive({ for_each: loops }: InMoney): StrategyFault[] {
  return Object.entries(loops).flatMap(([name, { markets, active = 0 }]) => {
    const count = Object.keys(markets).length
    const message = `${active} is more than the ${count} of the list: all of them can be active`
    const path = ['for_each', name, 'active']
    return active > count ? [{ path, message, hint: `write ${count} or less, or omit active` }] : []
  })
}

/** The entries of one side together can exceed `net`. With entries of both sides, the limit depends on which ones fill first. */
function narrowNet(strategy: InMoney, { placed }: Preview): StrategyFault[] {
  const { max_notional: all, groups } = strategy.risk
  const narrow = (path: string[], net: Decimal | undefined, of: string, own: readonly PlacedLadder[]) => {
    const costOf = (side: 'buy' | 'sell') =>
      mostActive(
        strategy,
        own.map(({ file, placed: { rungs } }) => [file.market, sumOf(rungs, 'notional', side)]),
      )
    const most = Decimal.max(costOf('buy'), costOf('sell'))
    if (net === undefined || most.lte(net)) return []
    const message =
      `all rungs of one side${of} cost ${decimalText(most)}, more than the net of ${decimalText(net)}: ` +
      'the entries beyond the limit wait until the other side has filled'
    return [{ path: ['risk', ...path], message, hint: 'raise the limit, or reduce the ladders' }]
  }
  const faults = narrow(['max_notional', 'net'], all['net'], '', placed)
  // That all rungs of a group cost more than its `max_notional` is the purpose of most groups.
  for (const [name, { markets, net }] of Object.entries(groups)) {
    const own = placed.filter(({ file }) => markets.includes(file.market))
    faults.push(...narrow(['groups', name, 'net'], net, ` of the group ${name}`, own))
  }
  return faults
}

/** The account cannot pay all rungs with its leverage. */
function unpaid({ leverage }: InMoney, { notional, equity }: Preview): StrategyFault[] {
  if (leverage === undefined || notional.lte(equity.times(leverage))) return []
  const message =
    `all rungs cost ${decimalText(notional)}, more than an equity of ${decimalText(equity)} pays with a leverage of ` +
    `${leverage}: the venue refuses the rungs beyond it`
  return [{ path: ['leverage'], message, hint: 'raise the leverage, or reduce the ladders' }]
}

/** A worst case in the direction in which the strategy earns: the limit then blocks nothing. */
function harmlessMove({ risk }: InMoney, { worstLoss, otherLosses }: Preview): StrategyFault[] {
  const other = otherLosses.at(-1)
  if (!worstLoss.isZero() || other === undefined || other.loss.isZero()) return []
  const moves = risk.worst_case.move.map((move) => percentText(move)).join(' or ')
  const message =
    `a move of ${moves} causes no loss, so this limit blocks nothing; a move of ${percentText(other.move)} in the other ` +
    `direction loses ${decimalText(other.loss.toDecimalPlaces(2, Decimal.ROUND_UP))}`
  const hint = 'write the move without a sign, such as 30%, for both directions'
  return [{ path: ['risk', 'worst_case', 'move'], message, hint }]
}

const growthTexts = {
  'scheduled time': 'a schedule places the rungs again and again',
  fill: 'each fill places the rungs again',
}

/** A worst case that stops a ladder before the limits of its size do. */
function stoppedGrowth(strategy: InMoney, preview: Preview): StrategyFault[] {
  const growth = growthOf(strategy, preview)
  const most = strategy.risk.worst_case.max_loss
  if (growth === undefined || growth.loss.lte(most) || preview.lossNow.gt(most)) return []
  const loss = decimalText(growth.loss.toSignificantDigits(4, Decimal.ROUND_UP))
  const message =
    `${growth.names.join(', ')}: ${growthTexts[growth.after]}; at ${growth.limits} the worst ` +
    `case loses about ${loss}, more than ${decimalText(most)}: the entries beyond the limit wait`
  const hint = `raise the limit, or lower ${growth.limits}`
  return [{ path: ['risk', 'worst_case', 'max_loss'], message, hint }]
}

function unusedCapital({ name, file, placed, market }: PlacedLadder): StrategyFault[] {
  if (placed.rungs.length === 0 || placed.unused.lte(placed.budget.times(unusedShareMax))) return []
  const share = percentText(placed.unused.div(placed.budget))
  const lot = new Decimal(10).pow(-market.amountDigits)
  const message = `${share} of the capital of ${name} is not used: amounts are rounded down to the lot ${decimalText(lot)}`
  const remedies = [
    ...(placed.rungs.length > 1 ? ['fewer levels'] : []),
    'more capital',
    // Each rung gets at most the rest of the others: a single rung has no others.
    ...(placed.rungs.length > 1 && file.size.leftover !== 'spread' ? ['leftover: spread'] : []),
  ]
  const hint = `use ${remedies.length > 1 ? listText(remedies, 'or') : 'more capital'}`
  return [{ path: ['ladder', name, 'size'], onKey: true, message, hint }]
}

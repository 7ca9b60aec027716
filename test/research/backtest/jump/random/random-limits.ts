import type { Chance } from '#test/fuzz/chance.ts'
import { drawdowns } from './random-drawdowns.ts'
import type { RandomExpressions } from './random-expression.ts'
import type { RandomShares } from './random-shares.ts'

/** The lines of the section `risk`, by chance. */
export function randomLimits(
  { below, oneOf, percent }: Chance,
  says: RandomExpressions,
  shares: RandomShares | undefined,
): string[] {
  const lines = [
    `  max_notional: { total: ${oneOf([1500, 3000, 30_000])} }`,
    ...(percent(15) ? [`  max_position: { m0: ${says.amount(oneOf([300, 900]))} }`] : []),
    `  max_open_orders: ${oneOf([3, 6, 40])}`,
    ...(percent(15) ? [`  order_rate: { orders: ${2 + below(8)}, per: ${oneOf(['20s', '1m'])} }`] : []),
    `  worst_case: { move: ${oneOf(['-5%', '10%', '-50%'])}, max_loss: ${oneOf([60, 400, 20_000])} }`,
    `  drawdown: { ${oneOf(drawdowns)}${percent(40) ? `, then: ${oneOf(['exits', 'flatten', 'freeze'])}` : ''} }`,
    ...(percent(15) ? [`  daily_loss: ${oneOf([1, 3, 50])}`] : []),
    ...(percent(15) ? [`  per_week: ${oneOf([500, 2000])}`] : []),
    ...(percent(20) ? [`  price_band: ${oneOf(['0.1%', '0.3%', '1%'])}`] : []),
    '  in_doubt: { block: level, halt_after: 60s }',
    ...(percent(10) ? ['  max_flex_per_day: 40'] : []),
  ]
  return shares?.limits(lines) ?? lines
}

/** The lines of the section `submit`, by chance. */
export function randomSubmit({ oneOf, percent }: Chance): string[] {
  return [
    `  chunk: ${oneOf([1, 3, 20])}`,
    `  order: ${oneOf(['nearest_first', 'interleave'])}`,
    `  stopOnFail: ${percent(30)}`,
    `  on_reject: ${oneOf(['skip_level', 'skip_level', 'halt_ladder'])}`,
    ...(percent(50) ? [`  on_cross: ${oneOf(['slide', 'skip'])}`] : []),
    '  throttled: { max: 5, backoff: 250ms..8s }',
    `  rate: { requests: ${oneOf([1, 2, 8])}, per: ${oneOf(['1s', '1s', '7s', '30s'])} }`,
  ]
}

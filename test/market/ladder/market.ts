import type { MarketRules } from '#src/market/ladder/plan.ts'
import { decimal } from '#src/core/money/decimal.ts'

/** A market like BTC_USDT of the packaged world. */
export const market: MarketRules = {
  priceDigits: 2,
  amountDigits: 6,
  minAmount: decimal('0.00001'),
  minTotal: decimal('5'),
  maxTotal: decimal('10000000'),
  makerFee: decimal('0.001'),
  takerFee: decimal('0.001'),
}

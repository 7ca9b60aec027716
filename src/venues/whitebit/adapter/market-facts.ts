import type { ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { MarketFacts } from '#src/engine/events.ts'
import { Decimal, signedDecimal, signedText } from '#src/core/money/decimal.ts'

/** The rules of a venue's own list of markets, by name. */
export function marketFacts(list: ReadOf<Contract['markets']>): Record<string, MarketFacts> {
  const facts: Record<string, MarketFacts> = {}
  for (const market of list) {
    const [priceDigits, amountDigits] = [Number(market.moneyPrec), Number(market.stockPrec)]
    // Ladders count in decimal places: a market whose steps are others is not read wrongly, but left out.
    if (!isStep(market.tickSize, priceDigits) || !isStep(market.stepSize, amountDigits)) continue
    facts[market.name] = {
      money: market.money,
      priceDigits,
      amountDigits,
      minAmount: market.minAmount,
      minTotal: market.minTotal,
      maxTotal: market.maxTotal,
      makerFee: ofPercent(market.makerFee),
      takerFee: ofPercent(market.takerFee),
    }
  }
  return facts
}

function isStep(size: string | undefined, digits: number): boolean {
  return size === undefined || new Decimal(10).pow(-digits).eq(size)
}

function ofPercent(text: string): string {
  return signedText(signedDecimal(text).div(100))
}

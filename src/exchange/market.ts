import { atomDigits, timesUp, type Atoms } from '#src/money/atoms.ts'
import { formatUnits, parseUnits } from '#src/money/units.ts'
import type { MarketRules } from './world.ts'

/** A market's rules in its own units: prices in ticks, amounts in lots, money in atoms. */
export type Market = ReturnType<typeof createMarket>

export function createMarket(name: string, rules: MarketRules) {
  const { priceDigits, amountDigits } = rules
  const moneyPerLotTick = 10n ** BigInt(atomDigits - priceDigits - amountDigits)
  const lotAtoms = 10n ** BigInt(atomDigits - amountDigits)
  const highestRate = rules.takerFee > rules.makerFee ? rules.takerFee : rules.makerFee
  return {
    name,
    rules,
    amountStep: formatUnits(1, amountDigits),
    priceStep: formatUnits(1, priceDigits),
    minLots: Number((rules.minAmount + lotAtoms - 1n) / lotAtoms),
    ticks: (text: string) => parseUnits(text, priceDigits),
    lots: (text: string) => parseUnits(text, amountDigits),
    priceText: (ticks: number) => formatUnits(ticks, priceDigits),
    amountText: (lots: number) => formatUnits(lots, amountDigits),
    /** Exact: neither factor is ever rounded. */
    money(lots: number, ticks: number): Atoms {
      const product = lots * ticks
      return (
        (Number.isSafeInteger(product) ? BigInt(product) : BigInt(lots) * BigInt(ticks)) * moneyPerLotTick
      )
    },
    fee: (money: Atoms, role: 'maker' | 'taker') => timesUp(money, rules[`${role}Fee`]),
    highestFee: (money: Atoms) => timesUp(money, highestRate),
  }
}

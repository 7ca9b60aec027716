import { atomDigits, formatAtoms, timesDown, type Atoms } from '#src/core/money/atoms.ts'
import { formatUnits, parseUnits } from '#src/core/money/units.ts'
import type { WorldMarket } from '#src/exchange/world-file.ts'

/**
 * A market's rules in its own integer units: prices in ticks, amounts in lots, their products in quanta, money in
 * atoms. No product is ever rounded except a fee, which the schema of the world keeps whole too.
 */
export type Market = ReturnType<typeof createMarket>

export function createMarket(name: string, number: number, rules: WorldMarket) {
  const { priceDigits, amountDigits } = rules
  const atomsPerQuantum = 10n ** BigInt(atomDigits - priceDigits - amountDigits)
  const lotAtoms = 10n ** BigInt(atomDigits - amountDigits)
  const rates = [rules, ...(rules.feeTiers ?? [])]
  const tiers = rates.map(({ makerFee, takerFee }) => ({
    maker: timesDown(atomsPerQuantum, makerFee),
    taker: timesDown(atomsPerQuantum, takerFee),
  }))
  // The most of all tiers. A rebate counts only when it is paid.
  const feePerQuantum = {
    maker: highest(tiers.map(({ maker }) => maker)),
    taker: highest(tiers.map(({ taker }) => taker)),
  }
  // The amount that an order must be able to pay.
  const highestFeePerQuantum = highest([feePerQuantum.maker, feePerQuantum.taker, 0n])
  // The fee without the zeros at its end has fewer digits.
  let feeDigits = atomDigits
  while (feeDigits > 0 && tiers.every((tier) => endInZero(tier, atomDigits - feeDigits + 1))) feeDigits -= 1
  const few = tiers.map(({ maker, taker }) => ({
    maker: Number(maker / 10n ** BigInt(atomDigits - feeDigits)),
    taker: Number(taker / 10n ** BigInt(atomDigits - feeDigits)),
  }))
  /** What a fee depends on: the traded quanta, the part of them traded as taker, and the fee tier of the order. */
  type Traded = { quanta: number; taken: number; tier: number }
  /** Exact. */
  const fee = ({ quanta, taken, tier }: Traded): Atoms => {
    const { maker, taker } = tiers[tier] ?? feePerQuantum
    return BigInt(quanta - taken) * maker + BigInt(taken) * taker
  }
  return {
    name,
    number,
    rules,
    atomsPerQuantum,
    lotAtoms,
    /** Shares of the money by fee tier, the one of the market first. */
    rates,
    feePerQuantum,
    /** Powers of ten and sums with few digits, which doubles hold exactly. */
    approximate: {
      atomsPerQuantum: Number(atomsPerQuantum),
      highestFeePerQuantum: Number(highestFeePerQuantum),
    },
    highestFeePerQuantum,
    amountStep: formatUnits(1, amountDigits),
    priceStep: formatUnits(1, priceDigits),
    moneyStep: formatUnits(1, priceDigits + amountDigits),
    minLots: Number((rules.minAmount + lotAtoms - 1n) / lotAtoms),
    minQuanta: Number((minTotalOf(rules) + atomsPerQuantum - 1n) / atomsPerQuantum),
    minQuantaOf: {
      buy: Number(((rules.minTotalBuy ?? rules.minTotal) + atomsPerQuantum - 1n) / atomsPerQuantum),
      sell: Number(((rules.minTotalSell ?? rules.minTotal) + atomsPerQuantum - 1n) / atomsPerQuantum),
    },
    maxQuanta: Number(rules.maxTotal / atomsPerQuantum),
    ticks: (text: string) => parseUnits(text, priceDigits),
    lots: (text: string) => parseUnits(text, amountDigits),
    quanta: (text: string) => parseUnits(text, priceDigits + amountDigits),
    priceText: (ticks: number) => formatUnits(ticks, priceDigits),
    amountText: remembering((lots) => formatUnits(lots, amountDigits)),
    moneyText: (quanta: number) => formatUnits(quanta, priceDigits + amountDigits),
    fee,
    /** The fee as text, computed in doubles if they are exact. */
    feeText(traded: Traded): string {
      const { quanta, taken, tier } = traded
      const { maker, taker } = few[tier] ?? { maker: NaN, taker: NaN }
      const units = (quanta - taken) * maker + taken * taker
      if (!Number.isSafeInteger(units)) return formatAtoms(fee(traded))
      return units < 0 ? `-${formatUnits(-units, feeDigits)}` : formatUnits(units, feeDigits)
    },
    money: (quanta: number): Atoms => BigInt(quanta) * atomsPerQuantum,
  }
}

function highest(amounts: readonly Atoms[]): Atoms {
  return amounts.reduce((most, each) => (each > most ? each : most))
}

/** What clients are told, who know one minimum: the higher one of both sides. */
export function minTotalOf({
  minTotal,
  minTotalBuy = minTotal,
  minTotalSell = minTotal,
}: WorldMarket): Atoms {
  return minTotalBuy > minTotalSell ? minTotalBuy : minTotalSell
}

/** Keeps the last text: the orders of a ladder often have one amount. */
function remembering(textOf: (units: number) => string): (units: number) => string {
  let last = { units: 0, text: '0' }
  return (units) => {
    if (units === 0) return '0'
    if (units !== last.units) last = { units, text: textOf(units) }
    return last.text
  }
}

function endInZero(fees: { maker: Atoms; taker: Atoms }, digits: number): boolean {
  const power = 10n ** BigInt(digits)
  return fees.maker % power === 0n && fees.taker % power === 0n
}

/** a × b / c for whole numbers, rounded down, for a product of any size. */
export function shareDown(a: number, b: number, c: number): number {
  const product = a * b
  return Number.isSafeInteger(product) ? Math.floor(product / c) : Number((BigInt(a) * BigInt(b)) / BigInt(c))
}

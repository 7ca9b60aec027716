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
  const feePerQuantum = {
    maker: timesDown(atomsPerQuantum, rules.makerFee),
    taker: timesDown(atomsPerQuantum, rules.takerFee),
  }
  // The amount that an order must be able to pay. A rebate counts only when it is paid.
  const highestFeePerQuantum = [feePerQuantum.maker, feePerQuantum.taker].reduce(
    (most, each) => (each > most ? each : most),
    0n,
  )
  // The fee without the zeros at its end has fewer digits.
  let feeDigits = atomDigits
  while (feeDigits > 0 && endInZero(feePerQuantum, atomDigits - feeDigits + 1)) feeDigits -= 1
  const few = {
    maker: Number(feePerQuantum.maker / 10n ** BigInt(atomDigits - feeDigits)),
    taker: Number(feePerQuantum.taker / 10n ** BigInt(atomDigits - feeDigits)),
  }
  /** Exact: the fee depends on the traded quanta and on the quanta traded as taker. */
  const fee = (quanta: number, taken: number): Atoms =>
    BigInt(quanta - taken) * feePerQuantum.maker + BigInt(taken) * feePerQuantum.taker
  return {
    name,
    number,
    rules,
    atomsPerQuantum,
    lotAtoms,
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
    minQuanta: Number((rules.minTotal + atomsPerQuantum - 1n) / atomsPerQuantum),
    maxQuanta: Number(rules.maxTotal / atomsPerQuantum),
    ticks: (text: string) => parseUnits(text, priceDigits),
    lots: (text: string) => parseUnits(text, amountDigits),
    quanta: (text: string) => parseUnits(text, priceDigits + amountDigits),
    priceText: (ticks: number) => formatUnits(ticks, priceDigits),
    amountText: remembering((lots) => formatUnits(lots, amountDigits)),
    moneyText: (quanta: number) => formatUnits(quanta, priceDigits + amountDigits),
    fee,
    /** The fee as text, computed in doubles if they are exact. */
    feeText(quanta: number, taken: number): string {
      const units = (quanta - taken) * few.maker + taken * few.taker
      if (!Number.isSafeInteger(units)) return formatAtoms(fee(quanta, taken))
      return units < 0 ? `-${formatUnits(-units, feeDigits)}` : formatUnits(units, feeDigits)
    },
    money: (quanta: number): Atoms => BigInt(quanta) * atomsPerQuantum,
  }
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

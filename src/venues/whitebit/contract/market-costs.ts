import { z } from 'zod'
import { oneUnit, parseAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { decimalPattern, signedPattern } from '#src/core/money/decimal-text.ts'
import { priceBand } from './assumptions/switches.ts'

/**
 * What a venue charges and demands in a market: the same keys in a world file and in the section `markets` of a venue file.
 * Values arrive as text, because the YAML reader does not parse numbers.
 */

// A value that is not a number ends the check of its market: the rules between fields compare numbers.
export const plain = { error: 'Write a plain decimal number', abort: true }
export const atoms = z
  .string()
  .regex(decimalPattern, {
    error: ({ input }) =>
      typeof input === 'string' && input.startsWith('-') && decimalPattern.test(input.slice(1))
        ? 'Must not be negative'
        : plain.error,
    abort: true,
  })
  .transform(parseAtoms)

/**
 * A fee in percent, as a ratio: 0.035 becomes 0.00035. A negative fee is a rebate, which the exchange pays for the
 * trade.
 */
export const feePercent = z
  .string()
  .regex(signedPattern, plain)
  .transform((text) => parseSignedAtoms(text) / 100n)
  .refine((rate) => rate < oneUnit && rate > -oneUnit, 'Must be between -100 and 100')

export const marketCosts = z
  .strictObject({
    makerFee: feePercent,
    takerFee: feePercent,
    /**
     * Fees from this trading volume of the last 30 days on, in money of the market, lowest first. Below the first tier, the fees
     * of the market hold.
     */
    feeTiers: z
      .array(z.strictObject({ volume: atoms, makerFee: feePercent, takerFee: feePercent }))
      .min(1)
      .max(50)
      .refine(
        (tiers) => tiers.every(({ volume }, index) => volume > (tiers[index - 1]?.volume ?? 0n)),
        'The volumes must rise from tier to tier, and the first one must be above 0',
      ),
    minTotal: atoms,
    /** The minimum of one side, in place of `minTotal`. */
    minTotalBuy: atoms,
    minTotalSell: atoms,
    /** Futures: hours between settlements of funding, 8 if omitted. */
    fundingHours: z.enum(['1', '2', '4', '8']).transform(Number),
    /** Distance of a limit price from the mark price in percent, in place of the switch of the world. */
    priceBand,
  })
  .partial()

export type CostTexts = z.input<typeof marketCosts>

/** Checked as above and kept as text, which files of settings can hold. */
export const costTexts = z.custom<CostTexts>().check(({ value, issues }) => {
  const read = marketCosts.safeParse(value)
  for (const issue of read.error?.issues ?? []) {
    // What a schema has found is an issue of any schema around it; the types of zod keep the two apart.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    issues.push({ ...issue, input: value } as z.core.$ZodRawIssue)
  }
})

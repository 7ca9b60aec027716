import { z } from 'zod'
import { decimalOut, ticker, unixSeconds, uuid } from '#src/venues/whitebit/contract/fields.ts'

/**
 * What the venue tells by itself (spec §6). The method and `uniqueId` are the spec's; the other fields are those
 * of the public venues of this family (assumptions.webhooks).
 */
export const depositCanceled = z.object({
  method: z.literal('deposit.canceled'),
  params: z.object({
    address: z.string(),
    amount: decimalOut,
    createdAt: unixSeconds,
    currency: z.string().describe('Full name of the currency'),
    description: z.string(),
    fee: decimalOut,
    memo: z.string(),
    method: z.literal(1).describe('1: a deposit'),
    network: z.string().nullable(),
    status: z.int(),
    ticker,
    transactionHash: z.string(),
    uniqueId: uuid.describe('transaction_id of the refund call'),
    confirmations: z.object({ actual: z.int(), required: z.int() }),
    nonce: z.int().min(1),
  }),
  id: uuid.describe('The same for every repetition of a notice'),
})

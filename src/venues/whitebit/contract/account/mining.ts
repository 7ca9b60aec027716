import { z } from 'zod'
import { endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { dataPage, decimalOut, page, unixSeconds, usually } from '#src/venues/whitebit/contract/fields.ts'
import { accountRead, accountWrite } from '#src/venues/whitebit/contract/private-row.ts'

const name = z.string().min(1).max(255)
const interval = z.enum(['5m', '1h', '24h'])

export const payoutDestination = endpoint({
  ...accountWrite,
  path: '/api/v4/mining/payout-destination/edit',
  section: '4.12',
  summary: 'Set the destination of mining payouts',
  request: z.strictObject({
    accountName: name.describe('Mining pool account'),
    destination: z.enum(['main_balance', 'external_address']),
    address: z.string().max(100).optional().describe('Bitcoin address, for external_address'),
  }),
  response: z.object({
    payoutDestination: z.enum(['main_balance', 'external_address']),
    externalAddress: z.string().nullish(),
  }),
  example: {
    request: {
      accountName: 'paper-pool',
      destination: 'external_address',
      address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    },
    response: {
      payoutDestination: 'external_address',
      externalAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    },
  },
})

export const workerHashrate = endpoint({
  ...accountRead,
  path: '/api/v4/mining/workers/hashrate',
  section: '4.13',
  summary: 'Hashrate history of one worker',
  request: z.strictObject({
    account: name.describe('Mining pool account'),
    worker: name,
    interval: usually(interval, '1h'),
    from: unixSeconds.optional().describe('Unix seconds, not after now'),
    to: unixSeconds.optional().describe('Unix seconds, not after now'),
  }),
  response: z.object({
    data: z.object({ hashrates: z.array(z.object({ time: unixSeconds, hashrate: decimalOut })) }),
  }),
  example: {
    request: { account: 'paper-pool', worker: 'rig-1', interval: '1h' },
    response: { data: { hashrates: [{ time: 1_790_000_000, hashrate: '42.1' }] } },
  },
})

export const accountHashrate = endpoint({
  ...accountRead,
  path: '/api/v4/mining/hashrate',
  section: '4.14',
  summary: 'Hashrate history of a mining pool account',
  request: z.strictObject({
    account: name.describe('Mining pool account'),
    from: unixSeconds.optional().describe('Unix seconds, not after now'),
    to: unixSeconds.optional().describe('Unix seconds, not after now'),
    interval: usually(interval, '1h'),
  }),
  response: z.object({
    data: z.object({
      account: z.string(),
      hashrate: z.array(
        z.object({
          timestamp: unixSeconds,
          hashrate: decimalOut,
          rejectRate: z.number().optional().describe('Share of shares that the pool refused'),
        }),
      ),
    }),
  }),
  errors: [0, 422],
  example: {
    request: { account: 'paper-pool', interval: '24h' },
    response: { data: { account: 'paper-pool', hashrate: [{ timestamp: 1_790_000_000, hashrate: '42.1' }] } },
  },
})

export const miningAccounts = endpoint({
  ...accountRead,
  path: '/api/v4/mining/accounts',
  section: 'beyond.mining',
  summary: 'Mining pool accounts',
  request: z.strictObject(page(100, 100)),
  response: dataPage(z.object({ name: z.string(), createdAt: unixSeconds })),
  beyond: true,
  example: {
    request: {},
    response: { data: [{ name: 'paper-pool', createdAt: 1_787_408_000 }], limit: 100, offset: 0 },
  },
})

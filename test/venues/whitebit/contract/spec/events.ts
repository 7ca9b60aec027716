import { createHmac } from 'node:crypto'
import { expect } from 'vitest'
import type { z } from 'zod'
import { depositCanceled } from '#src/venues/whitebit/contract/account/webhooks.ts'
import { beginsAtMs, type TestVenue } from '#test/support/venue.ts'
import type { ReceivedRequest } from '#test/support/receiver.ts'
import { clause } from './clause.ts'
import {
  canceledDeposit,
  done,
  errorOf,
  fixedUsdt,
  flexUsdt,
  order,
  subAccount,
  tronAddress,
} from './reading.ts'

const pendingDeposit = '11111111-1111-4111-8111-000000000003'
const webhook = { webhook: true } as const
const withPending = {
  webhook: true,
  world: {
    accounts: {
      paper: {
        deposits: [{ id: pendingDeposit, ticker: 'USDT', network: 'TRC20', amount: '40', status: 'pending' }],
      },
    },
  },
} as const

function receiverOf(venue: TestVenue) {
  if (venue.receiver === undefined) throw new Error('this world has no webhook')
  return venue.receiver
}

/** The next notice, read from its bytes after its signature was checked. */
async function hear(
  venue: TestVenue,
  count: number,
): Promise<{ notice: z.output<typeof depositCanceled>; raw: ReceivedRequest }> {
  const receiver = receiverOf(venue)
  await receiver.until(count)
  const raw = receiver.heard[count - 1]
  if (raw === undefined) throw new Error('nothing was heard')
  const payload = Buffer.from(raw.body).toString('base64')
  expect(raw.headers).toEqual({
    'content-type': 'application/json',
    'x-txc-apikey': 'hook-key',
    'x-txc-payload': payload,
    'x-txc-signature': createHmac('sha512', 'hook-secret').update(payload).digest('hex'),
  })
  return { notice: depositCanceled.parse(JSON.parse(raw.body)), raw }
}

/** Lets what was heard be answered and booked, which no client can see: after so many tries, or for good. */
async function booked(venue: TestVenue, tries: number | 'done'): Promise<void> {
  for (let turn = 0; turn < 10_000; turn++) {
    const [notice] = venue.exchange.state.outbox
    if (tries === 'done' ? notice === undefined : notice?.attempts === tries) return
    await new Promise(setImmediate)
  }
  throw new Error('the notice was never booked')
}

async function ping(venue: TestVenue) {
  await done(venue.paper.ping({}))
}

/** §6: the webhook, and that nothing else tells anything by itself. */
export const events = [
  clause(
    '6',
    'deposit.canceled is posted to the webhook of the owner, signed with the key pair of the webhook',
    async (venue) => {
      const { notice } = await hear(venue, 1)
      expect(notice.method).toBe('deposit.canceled')
      expect(notice.params).toMatchObject({ ticker: 'USDT', amount: '250', network: 'TRC20' })
      await ping(venue)
    },
    webhook,
  ),
  clause(
    '6',
    'uniqueId of the notice is the transaction_id that a refund takes',
    async (venue) => {
      const { notice } = await hear(venue, 1)
      const about = { transaction_id: notice.params.uniqueId, address: tronAddress }
      expect(await done(venue.paper.refundDeposit(about))).toEqual({ id: canceledDeposit })
    },
    webhook,
  ),
  clause(
    '6',
    'a deposit that is canceled later is told then, and can be refunded then',
    async (venue) => {
      const about = { transaction_id: pendingDeposit, address: tronAddress }
      expect(await venue.paper.refundDeposit(about)).toMatchObject({ kind: 'refused' })
      expect(await venue.operator.cancelDeposit(pendingDeposit)).toBe(true)
      const { notice } = await hear(venue, 1)
      expect(notice.params.uniqueId).toBe(pendingDeposit)
      expect(await venue.operator.cancelDeposit(pendingDeposit)).toBe(false)
      expect(await done(venue.paper.refundDeposit(about))).toEqual({ id: pendingDeposit })
    },
    withPending,
  ),
  clause(
    '6',
    'a notice that is not answered with 200 comes again with the same id and a higher nonce',
    async (venue) => {
      receiverOf(venue).answerWith(503)
      const { notice: first } = await hear(venue, 1)
      await booked(venue, 1)
      receiverOf(venue).answerWith(200)
      await venue.operator.advance(599)
      await ping(venue)
      expect(receiverOf(venue).heard).toHaveLength(1)
      await venue.operator.advance(1)
      const { notice: second } = await hear(venue, 2)
      expect(second.id).toBe(first.id)
      expect([first.params.nonce, second.params.nonce]).toEqual([beginsAtMs, beginsAtMs + 600_000])
      expect({ ...second.params, nonce: 0 }).toEqual({ ...first.params, nonce: 0 })
      await booked(venue, 'done')
      await venue.operator.advance(86_400)
      await ping(venue)
      expect(receiverOf(venue).heard).toHaveLength(2)
    },
    webhook,
  ),
  clause(
    '6',
    'a notice that nobody takes is given up after five times',
    async (venue) => {
      receiverOf(venue).answerWith(404)
      for (let time = 1; time <= 5; time++) {
        await hear(venue, time)
        await booked(venue, time === 5 ? 'done' : time)
        await venue.operator.advance(600)
      }
      await ping(venue)
      expect(receiverOf(venue).heard).toHaveLength(5)
      expect(
        new Set(receiverOf(venue).heard.map(({ body }) => depositCanceled.parse(JSON.parse(body)).id)).size,
      ).toBe(1)
    },
    webhook,
  ),
  clause(
    '6',
    'no other call tells anything by itself',
    async (venue) => {
      const { paper } = venue
      const { id } = await done(paper.fixedInvest({ planId: fixedUsdt, amount: '10' }))
      await done(paper.fixedClose({ id }))
      await done(paper.flexInvest({ plan: flexUsdt, amount: '10' }))
      await paper.collateralBulk({ orders: [order()] })
      await done(paper.createCode({ ticker: 'USDT', amount: '1' }))
      await done(paper.payoutDestination({ accountName: 'paper-pool', destination: 'main_balance' }))
      const permissions = { spotEnabled: true, collateralEnabled: true }
      await done(paper.editSubAccount({ id: subAccount, alias: 'quiet', permissions }))
      await done(paper.refundDeposit({ transaction_id: canceledDeposit, address: tronAddress }))
      await booked(venue, 'done')
      await venue.operator.advance(86_400)
      await ping(venue)
      expect(receiverOf(venue).heard).toHaveLength(1)
    },
    webhook,
  ),
  clause('6', 'there are no streams: nothing is served where one would be', async (venue) => {
    for (const path of ['/ws', '/api/v4/profile/websocket_token']) {
      expect(errorOf(await venue.send({ method: 'GET', path })), path).toMatchObject({ status: 404, code: 0 })
    }
  }),
]

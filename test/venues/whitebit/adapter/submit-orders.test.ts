import { expect, test } from 'vitest'
import { z } from 'zod'
import { submitOrders } from '#src/venues/whitebit/adapter/submit-orders.ts'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { fitsExactly } from '#src/venues/whitebit/contract/codec/value-reader.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { ApprovedOrder } from '#src/engine/commands.ts'
import { orderOf } from '#test/engine/support/state-fixture.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { worldWith } from '#test/support/world.ts'
import { openVenue, type TestVenue, type VenueOptions } from '#test/support/venue.ts'
import type { Submission, SubmitPolicy } from '#src/venue/port.ts'

const path = '/api/v4/order/collateral/bulk'
const draft = (level: number, about: object = {}): ApprovedOrder =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no gate is needed to see what is sent
  ({
    ...orderOf(`s.g.${level}.1`),
    price: String(50_000 - level),
    amount: '0.001',
    ...about,
  }) as unknown as ApprovedOrder

const policy: SubmitPolicy = {
  stopOnFail: false,
  priority: 'entries',
  withinMs: () => 10_000,
  signal: new AbortController().signal,
  onTime: () => {},
}
const stopping = { ...policy, stopOnFail: true }

const sendingTo = (venue: TestVenue) => sendingWith(venue.paper)

function sendingWith(client: Client) {
  return { client, batch: { max: Infinity }, hedged: false }
}

async function inVenue(options: VenueOptions, story: (venue: TestVenue) => Promise<void>): Promise<void> {
  const venue = await openVenue('socket', options)
  try {
    await story(venue)
  } finally {
    await venue.close()
  }
}

const four = (first: number) => [0, 1, 2, 3].map((more) => draft(first + more))
const bulk = z.object({ orders: z.array(z.unknown()), stopOnFail: z.boolean() })
const kindsOf = ({ answers }: Submission) => answers.map(({ kind }) => kind)
const bulks = (venue: TestVenue) =>
  venue.exchanged.flatMap(({ path: called, sent }) =>
    called === path ? [bulk.parse(JSON.parse(sent)).orders.length] : [],
  )

test('orders are written as the contract has them, so that nobody needs a second look', () =>
  inVenue({}, async (venue) => {
    const flags = { postOnly: true, ioc: true, rpi: true }
    for (const hedged of [false, true])
      await submitOrders({ ...sendingTo(venue), hedged }, [draft(1), draft(2, flags)], policy)
    const sent = venue.exchanged.filter(({ path: called }) => called === path)
    expect(sent.length).toBe(2)
    for (const { sent: body } of sent) {
      const { orders, stopOnFail } = bulk.parse(JSON.parse(body))
      expect(fitsExactly(contract.collateralBulk.request, { orders, stopOnFail })).toBe(true)
    }
  }))

test('a venue that takes fewer orders at once is given fewer, and that is remembered', () =>
  inVenue({ world: { switches: { batchMax: '6' } } }, async (venue) => {
    const sending = sendingTo(venue)
    const orders = Array.from({ length: 20 }, (_, level) => draft(level))
    expect(kindsOf(await submitOrders(sending, orders, policy))).toEqual(Array(20).fill('accepted'))
    expect(bulks(venue)).toEqual([20, 10, 5, 5, 5, 5])
    await submitOrders(sending, [draft(30), draft(31)], policy)
    expect(bulks(venue).slice(6)).toEqual([2])
  }))

test('in several requests, too, nothing is sent behind an order that stopped the chunk', () =>
  inVenue({ world: { switches: { batchMax: '2' } } }, async (venue) => {
    const orders = [draft(1), draft(2), draft(3, { amount: '0.0001' }), draft(4), draft(5), draft(6)]
    const kinds = kindsOf(await submitOrders(sendingTo(venue), orders, stopping))
    expect(kinds).toEqual([
      'accepted',
      'accepted',
      'refused',
      'not-attempted',
      'not-attempted',
      'not-attempted',
    ])
    expect(bulks(venue)).toEqual([6, 3, 2, 2])
  }))

test('one request that is refused as a whole is a refusal', () =>
  inVenue({}, async (venue) => {
    const told = await submitOrders(sendingTo(venue), [draft(1, { id: 'not an id' })], policy)
    expect(kindsOf(told)).toEqual(['not-sent'])
    const reader = { ...sendingTo(venue), client: venue.reader }
    expect(kindsOf(await submitOrders(reader, [draft(1), draft(2)], policy))).toEqual(['refused', 'refused'])
    expect(bulks(venue)).toEqual([2])
  }))

test('a used nonce leaves open what became of the orders: the very call may have come twice', () =>
  inVenue({}, async (venue) => {
    const ahead = String(Number(venue.nonce('paper')) + 500)
    await venue.signed('tradingBalance', {}, { nonce: ahead })
    expect(kindsOf(await submitOrders(sendingTo(venue), [draft(1)], policy))).toEqual(['unknown'])
  }))

async function behindBadLine(
  story: (venue: FaultyVenue, sending: ReturnType<typeof sendingWith>) => Promise<void>,
): Promise<void> {
  const clock = systemClock
  const venue = await startFaultyVenue({ world: worldWith(), clock })
  const client = createClient({
    transport: httpTransport(venue.url),
    key: {
      credentials: { key: 'paper-key', secret: new Secret('paper-secret') },
      nonces: new Nonces({ clock, mode: 'strict' }),
    },
  })
  try {
    await story(venue, sendingWith(client))
  } finally {
    await client.close()
    await venue.close()
  }
}

test('a call that was too much for the venue was not sent, and one that a gateway turned away may have been', () =>
  behindBadLine(async (venue, sending) => {
    venue.plan('collateralBulk', 1, 'throttled')
    venue.plan('collateralBulk', 2, 'throttled by a gateway')
    const told = await submitOrders(sending, [draft(1), draft(2)], policy)
    const [answer] = told.answers
    expect(answer).toEqual({ kind: 'not-sent', cause: 'throttled', reason: 'Too Many Attempts.' })
    expect(kindsOf(await submitOrders(sending, [draft(1)], policy))).toEqual(['unknown'])
  }))

test('the bot waits as long as the venue asks', () =>
  behindBadLine(async (venue, sending) => {
    venue.plan('collateralBulk', 1, 'throttled')
    const told = await submitOrders(sending, [draft(1)], policy)
    // The client pauses for a second at least.
    expect(told.pausedMs).toBeGreaterThanOrEqual(1000)
    expect(await submitOrders(sending, [draft(2)], policy)).toMatchObject({ pausedMs: 0 })
  }))

test('an order that may not rest, or has filled, has ended; the time of its answer is that of the deal', () =>
  inVenue({}, async (venue) => {
    const times: number[] = []
    const timed = { ...policy, onTime: (at: number) => void times.push(at) }
    await venue.rival.collateralBulk({
      orders: [{ market: 'BTC_PERP', side: 'sell', price: '49999', amount: '0.001' }],
    })
    const orders = [draft(1), draft(2), draft(3, { ioc: true })]
    const told = await submitOrders(sendingTo(venue), orders, timed)
    const now = venue.clock.now()
    expect(told.answers).toEqual([
      expect.objectContaining({ kind: 'accepted', filled: '0.001', ended: true, dealtAt: now }),
      expect.objectContaining({ kind: 'accepted', filled: '0', ended: false }),
      expect.objectContaining({ kind: 'accepted', filled: '0', ended: true }),
    ])
    expect(told.answers[1]).not.toHaveProperty('dealtAt')
    expect(times).toEqual([now, now, now])
  }))

test('an order that is refused alone as well is found, and makes no other order leave alone', () =>
  behindBadLine(async (venue, sending) => {
    // The third of four, alone and in company.
    for (const nth of [1, 3, 4]) venue.plan('collateralBulk', nth, 'found invalid')
    expect(kindsOf(await submitOrders(sending, four(1), policy))).toEqual([
      'accepted',
      'accepted',
      'refused',
      'accepted',
    ])
    await submitOrders(sending, four(5), policy)
    const sent = venue.calls.map(({ body }) => bulk.parse(JSON.parse(body)).orders.length)
    expect(sent).toEqual([4, 2, 2, 1, 1, 4])
  }))

test('those behind one that is refused alone leave together again', () =>
  behindBadLine(async (venue, sending) => {
    // The first of eight, alone and in company.
    for (const nth of [1, 2, 3, 4]) venue.plan('collateralBulk', nth, 'found invalid')
    const eight = Array.from({ length: 8 }, (_, level) => draft(level))
    const kinds = kindsOf(await submitOrders(sending, eight, policy))
    expect(kinds).toEqual(['refused', ...Array(7).fill('accepted')])
    const sent = venue.calls.map(({ body }) => bulk.parse(JSON.parse(body)).orders.length)
    expect(sent).toEqual([8, 4, 2, 1, 7])
  }))

const waiting = { side: 'sell', role: 'exit', price: '49000', activation: '49000', reduceOnly: true }

test('a conditional order has a request of its own, between the bulks of the orders around it', () =>
  inVenue({ profile: 'full' }, async (venue) => {
    const orders = [draft(1), draft(2, { ...waiting, amount: '0.002' }), draft(3), draft(4)]
    const told = await submitOrders(sendingTo(venue), orders, policy)
    expect(kindsOf(told)).toEqual(['accepted', 'accepted', 'accepted', 'accepted'])
    expect(told.answers[1]).toMatchObject({
      filled: '0',
      ended: false,
      venueId: expect.stringMatching(/^\d+$/),
    })
    expect(bulks(venue)).toEqual([1, 2])
    const sent = venue.exchanged.find(({ path: called }) => called.endsWith('/trigger-market'))?.sent ?? '{}'
    const terms = { market: 'BTC_PERP', side: 'sell', amount: '0.002', activation_price: '49000' }
    expect(JSON.parse(sent)).toMatchObject({ ...terms, client_order_id: 's.g.2.1', reduceOnly: true })
  }))

test('each outcome of a conditional order is recognised', async () => {
  const stop = draft(1, waiting)
  await inVenue({ profile: 'full' }, async (venue) => {
    const sending = sendingTo(venue)
    expect(kindsOf(await submitOrders(sending, [stop], policy))).toEqual(['accepted'])
    expect((await submitOrders(sending, [stop], policy)).answers).toMatchObject([
      { kind: 'refused', alreadyUsed: true },
    ])
    const small = draft(2, { ...waiting, amount: '0.00001' })
    expect((await submitOrders(sending, [small], policy)).answers).toMatchObject([
      { kind: 'refused', alreadyUsed: false, refusal: 'breaks-rule', fields: ['amount'] },
    ])
    const aborted = { ...policy, signal: AbortSignal.abort() }
    expect(kindsOf(await submitOrders(sending, [draft(3, waiting)], aborted))).toEqual(['not-sent'])
    const ahead = String(Number(venue.nonce('paper')) + 500)
    await venue.signed('tradingBalance', {}, { nonce: ahead })
    expect(kindsOf(await submitOrders(sending, [draft(4, waiting)], policy))).toEqual(['unknown'])
  })
  await inVenue({ profile: 'spec' }, async (venue) => {
    expect(kindsOf(await submitOrders(sendingTo(venue), [stop], policy))).toEqual(['refused'])
  })
})

test('an exit that only reduces says so to the venue', () =>
  inVenue({ profile: 'full' }, async (venue) => {
    const exit = draft(1, { side: 'sell', role: 'exit', reduceOnly: true, ioc: true })
    expect((await submitOrders(sendingTo(venue), [exit], policy)).answers).toMatchObject([
      { kind: 'refused', code: 116 },
    ])
  }))

test('where long and short stand side by side, an order names the one that it opens or leaves', () =>
  inVenue({ profile: 'full' }, async (venue) => {
    await venue.paper.setHedgeMode({ hedgeMode: true })
    const sending = { ...sendingTo(venue), hedged: true }
    const resting = { market: 'BTC_PERP', amount: '0.01' } as const
    await venue.rival.collateralBulk({
      orders: [
        { ...resting, side: 'buy', price: '50000' },
        { ...resting, side: 'sell', price: '50010' },
      ],
    })
    const held = async () => {
      const answer = await venue.paper.openPositions()
      if (answer.kind !== 'answer') throw new Error('the venue did not tell')
      return Object.fromEntries(answer.value.map(({ positionSide, amount }) => [positionSide, amount]))
    }
    const sell = { side: 'sell', price: '50000', ioc: true }
    const buy = { side: 'buy', price: '50010', ioc: true }
    const opening = [draft(1, { ...sell, role: 'entry' }), draft(2, { ...buy, role: 'entry' })]
    expect(kindsOf(await submitOrders(sending, opening, policy))).toEqual(['accepted', 'accepted'])
    expect(await held()).toEqual({ SHORT: '-0.001', LONG: '0.001' })
    const leaving = [draft(3, { ...buy, role: 'exit' }), draft(4, { ...sell, role: 'exit' })]
    expect(kindsOf(await submitOrders(sending, leaving, policy))).toEqual(['accepted', 'accepted'])
    expect(await held()).toEqual({})
  }))

// The venue's documents list these states for the answer to an order, for lists and for the history.
test.each([
  ['FILLED', true],
  ['CANCELED', true],
  ['CANCELED_STP', true],
  ['CANCELED_TAKER_BAND', true],
  ['AUTO_CANCELED_REDUCE_ONLY', true],
  ['AUTO_CANCELED_LIQUIDATION', true],
  ['AUTO_CANCELED_USER_MARGIN', true],
  ['PARTIALLY_FILLED', false],
  ['OPEN', false],
])('an order whose answer has the status %s has ended: %s', (status, ended) =>
  inVenue({}, async (venue) => {
    const collateralBulk: Client['collateralBulk'] = async (...call) => {
      const outcome = await venue.paper.collateralBulk(...call)
      for (const each of outcome.orders) if (each.kind === 'accepted') each.order.status = status
      return outcome
    }
    const { answers } = await submitOrders(
      sendingWith({ ...venue.paper, collateralBulk }),
      [draft(1)],
      policy,
    )
    expect(answers).toMatchObject([{ kind: 'accepted', ended }])
  }),
)

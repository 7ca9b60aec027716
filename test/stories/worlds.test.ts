import { expect, test } from 'vitest'
import { story, until } from './story.ts'

/** Money for one order, so that every bulk stops. */
const poor = { paper: { collateral: { USDT: '400' } } }

for (const stopOnFailAnswer of ['included', 'absent', 'full'] as const) {
  test.concurrent(`the answer to a stopped bulk is read correctly as ${stopOnFailAnswer}`, () =>
    story({
      world: { switches: { stopOnFailAnswer }, accounts: poor },
      bot: { stopOnFailAnswer },
      stopOnFail: true,
      bulks: 4,
      plan(venue) {
        venue.plan('collateralBulk', 2, 'answer lost')
        venue.plan('collateralBulk', 4, 'cut')
      },
      // An answer that ends before the failing order names no refused order.
      events: [
        ...(stopOnFailAnswer === 'absent' ? [] : (['order-refused', 'order-not-attempted'] as const)),
        ...(['order-unknown', 'order-resolved'] as const),
      ],
    }))
}

test.concurrent('a bulk with stopOnFail is placed and answered [], and no order is sent in its place', () =>
  story({
    stopOnFail: true,
    plan(venue) {
      for (const nth of [1, 2, 4]) venue.plan('collateralBulk', nth, 'answer emptied')
    },
    events: ['order-unknown', 'order-resolved'],
  }))

test.concurrent('with a late history, a filled order is not considered absent', () =>
  story({
    world: { switches: { historyLag: '10s', clientIds: 'live' } },
    bot: { clientIds: 'unproven', settleMs: 10_000 },
    plan(venue) {
      for (const nth of [1, 2, 5]) venue.plan('collateralBulk', nth, 'answer lost')
    },
    events: ['order-unknown', 'order-resolved', 'fill'],
  }))

test.concurrent('the bot waits for orders that the venue executes late', () =>
  story({
    world: { switches: { executionDelay: '4s', clientIds: 'live' } },
    bot: { clientIds: 'unproven', settleMs: 4000 },
    plan(venue) {
      venue.plan('collateralBulk', 1, 'left alone')
      venue.plan('collateralBulk', 3, 'lost')
      venue.plan('collateralBulk', 5, 'left alone')
    },
    events: ['order-unknown', 'order-resolved', 'fill'],
  }))

test.concurrent('after too many requests, orders are sent a little later', () =>
  story({
    plan(venue) {
      for (const nth of [1, 2, 5]) venue.plan('collateralBulk', nth, 'throttled')
    },
    events: ['order-not-sent', 'fill'],
  }))

test.concurrent('no request is sent to a paused path until it opens', () =>
  story({
    plan(venue) {
      venue.plan('collateralBulk', 2, 'throttled for 10 s')
    },
    events: ['order-not-sent', 'fill'],
    async meanwhile({ clock, venue, notes, bulks }) {
      await until(clock, () => notes('order-not-sent').length > 0)
      const [before, at, sent] = [bulks(), clock.monotonic(), notes('bulk-sent').length]
      expect(notes('order-unknown')).toEqual([])
      // Each read of the account has its own path.
      const reads = () => venue.calls.filter(({ name }) => name === 'openOrders').length
      const readsBefore = reads()
      await until(clock, () => clock.monotonic() - at > 9000)
      expect({ bulks: bulks(), sent: notes('bulk-sent').length }).toEqual({ bulks: before, sent })
      expect(reads()).toBeGreaterThan(readsBefore + 3)
      await until(clock, () => bulks() > before)
      expect(clock.monotonic() - at).toBeLessThan(12_000)
    },
  }))

test.concurrent('another program uses nonces of our key: calls are refused, and no order is doubled or lost', () =>
  story({
    bulks: 12,
    plan(venue) {
      for (const nth of [1, 3, 6]) venue.plan('collateralBulk', nth, 'nonce overtaken')
    },
    events: ['order-unknown', 'order-resolved', 'fill'],
  }))

test.concurrent('a call that is delivered twice is executed once', () =>
  story({
    plan(venue) {
      for (const nth of [1, 2, 3, 4, 5, 6]) venue.plan('collateralBulk', nth, 'doubled')
      for (const nth of [7, 8]) venue.plan('collateralBulk', nth, 'doubled, the second answer')
    },
    events: ['fill', 'order-unknown', 'order-resolved'],
  }))

// Window nonces contain the local time, so the venue must not run faster.
for (const [nonce, speed] of [
  ['strict', 20],
  ['window', 1],
] as const) {
  test.concurrent(`a call is executed twice and answered with "id used", nonces ${nonce}: no order is doubled`, () =>
    story({
      speed,
      bot: { nonce },
      bulks: 5,
      plan(venue) {
        for (const nth of [1, 2, 4]) venue.plan('collateralBulk', nth, 'carried out twice')
      },
      events: ['order-unknown', 'order-resolved'],
      async meanwhile({ clock, notes }) {
        await until(clock, () => notes('order-resolved').length >= 8)
        expect(JSON.stringify(notes('order-resolved'))).not.toContain('absent')
      },
    }))
}

test.concurrent('a venue with a batch limit of three receives three orders at once', () =>
  story({ world: { switches: { batchMax: '3' } }, events: ['fill'] }))

import { expect, test } from 'vitest'
import { story, until } from './story.ts'

/** Money for one order: every bulk stops somewhere. */
const poor = { paper: { collateral: { USDT: '400' } } }

for (const stopOnFailAnswer of ['included', 'absent', 'full'] as const) {
  test.concurrent(`a bulk that stops at an order is read right, told as ${stopOnFailAnswer}`, () =>
    story({
      world: { switches: { stopOnFailAnswer }, accounts: poor },
      bot: { stopOnFailAnswer },
      stopOnFail: true,
      bulks: 4,
      plan(venue) {
        venue.plan('collateralBulk', 2, 'answer lost')
        venue.plan('collateralBulk', 4, 'cut')
      },
      // An answer that ends before the failing order names no order that was refused.
      told: [
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
    told: ['order-unknown', 'order-resolved'],
  }))

test.concurrent('what ends is shown late, and an order that filled is not taken for absent', () =>
  story({
    world: { switches: { historyLag: '10s', clientIds: 'live' } },
    bot: { clientIds: 'unproven', settleMs: 10_000 },
    plan(venue) {
      for (const nth of [1, 2, 5]) venue.plan('collateralBulk', nth, 'answer lost')
    },
    told: ['order-unknown', 'order-resolved', 'fill'],
  }))

test.concurrent('orders wait inside the venue before they are carried out, and are waited for', () =>
  story({
    world: { switches: { executionDelay: '4s', clientIds: 'live' } },
    bot: { clientIds: 'unproven', settleMs: 4000 },
    plan(venue) {
      venue.plan('collateralBulk', 1, 'left alone')
      venue.plan('collateralBulk', 3, 'lost')
      venue.plan('collateralBulk', 5, 'left alone')
    },
    told: ['order-unknown', 'order-resolved', 'fill'],
  }))

test.concurrent('too many calls: nothing was sent, and it is sent a little later', () =>
  story({
    plan(venue) {
      for (const nth of [1, 2, 5]) venue.plan('collateralBulk', nth, 'throttled')
    },
    told: ['order-not-sent', 'fill'],
  }))

test.concurrent('a path that is paused is left alone until it opens, and nothing is sent meanwhile', () =>
  story({
    plan(venue) {
      venue.plan('collateralBulk', 2, 'throttled for 10 s')
    },
    told: ['order-not-sent', 'fill'],
    async meanwhile({ clock, venue, notes, bulks }) {
      await until(clock, () => notes('order-not-sent').length > 0)
      const [before, at, sent] = [bulks(), clock.monotonic(), notes('bulk-sent').length]
      expect(notes('order-unknown')).toEqual([])
      // Reads of the account have a path of their own each.
      const reads = () => venue.calls.filter(({ name }) => name === 'openOrders').length
      const readsBefore = reads()
      await until(clock, () => clock.monotonic() - at > 9000)
      expect({ bulks: bulks(), sent: notes('bulk-sent').length }).toEqual({ bulks: before, sent })
      expect(reads()).toBeGreaterThan(readsBefore + 3)
      await until(clock, () => bulks() > before)
      expect(clock.monotonic() - at).toBeLessThan(12_000)
    },
  }))

test.concurrent('somebody else draws nonces for our key: calls are refused, and nothing is twice or lost', () =>
  story({
    bulks: 12,
    plan(venue) {
      for (const nth of [1, 3, 6]) venue.plan('collateralBulk', nth, 'nonce overtaken')
    },
    told: ['order-unknown', 'order-resolved', 'fill'],
  }))

test.concurrent('a call that is delivered twice is carried out once', () =>
  story({
    plan(venue) {
      for (const nth of [1, 2, 3, 4, 5, 6]) venue.plan('collateralBulk', nth, 'doubled')
      for (const nth of [7, 8]) venue.plan('collateralBulk', nth, 'doubled, the second answer')
    },
    told: ['fill', 'order-unknown', 'order-resolved'],
  }))

// Nonces of the moment are of our own time, so the venue's must run as fast.
for (const [nonce, speed] of [
  ['strict', 20],
  ['window', 1],
] as const) {
  test.concurrent(`a call is carried out twice, and answered that its ids are used, nonces ${nonce}: no order is twice`, () =>
    story({
      speed,
      bot: { nonce },
      bulks: 5,
      plan(venue) {
        for (const nth of [1, 2, 4]) venue.plan('collateralBulk', nth, 'carried out twice')
      },
      told: ['order-unknown', 'order-resolved'],
      async meanwhile({ clock, notes }) {
        await until(clock, () => notes('order-resolved').length >= 8)
        expect(JSON.stringify(notes('order-resolved'))).not.toContain('absent')
      },
    }))
}

test.concurrent('a venue that takes three orders at once is given three at once', () =>
  story({ world: { switches: { batchMax: '3' } }, told: ['fill'] }))

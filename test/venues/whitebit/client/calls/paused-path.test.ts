import { describe, expect, test } from 'vitest'
import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import {
  clientOf,
  example,
  json,
  order,
  placed,
  settled,
} from '#test/venues/whitebit/client/scripted-venue.ts'

const nonceWords = { code: 0, errors: {}, message: 'Too many requests.' }
const rateWords = { code: 0, errors: {}, message: 'Too Many Attempts.' }
const bulk = { orders: [order] }

/** A client whose order history is turned away once with this answer. */
function turnedAway(answer: WireResponse) {
  let left = 1
  return clientOf(({ path }) => {
    if (path === contract.orderHistory.path && left-- > 0) return answer
    return path === contract.collateralBulk.path ? json(200, [placed()]) : example('orderHistory')
  })
}

describe('a 429 of one path', () => {
  test('in words of the venue holds back that path alone', async () => {
    for (const words of [nonceWords, rateWords]) {
      const { client, clock } = turnedAway(json(429, words, { 'retry-after': '600' }))
      const refused = await settled(client.orderHistory({}, { deadlineMs: 1000 }), clock)
      expect(refused).toMatchObject({ kind: 'refused', throttle: 'rate', waitMs: 600_000 })
      expect((await client.collateralBulk(bulk, { deadlineMs: 10 })).kind).toBe('answered')
      const late = await settled(client.orderHistory({}, { deadlineMs: 1000 }), clock)
      expect(late).toMatchObject({ kind: 'not-sent', cause: 'late' })
      expect('waitMs' in late && late.waitMs).toBeGreaterThan(500_000)
    }
  })

  test('from a gateway says nothing of a path, and holds back the key', async () => {
    const { client, clock } = turnedAway({ status: 429, headers: { 'retry-after': '600' }, body: '<html>' })
    const unclear = await settled(client.orderHistory({}, { deadlineMs: 1000 }), clock)
    expect(unclear.kind).toBe('unanswered')
    const late = await client.collateralBulk(bulk, { deadlineMs: 10 })
    expect(late).toMatchObject({ kind: 'not-sent', cause: 'late' })
  })
})

const answered = async (answer: WireResponse) => clientOf(() => answer).client.collateralBulk(bulk)

describe('a bulk that is answered with a 429 in JSON', () => {
  test('was not sent, whatever the words, and says how long to wait', async () => {
    for (const words of [nonceWords, rateWords, { error: 'slow down' }])
      expect(await answered(json(429, words, { 'retry-after': '30' }))).toMatchObject({
        kind: 'refused',
        throttle: 'rate',
        waitMs: 30_000,
      })
  })

  test('and no Retry-After in the words for nonces is about the nonce', async () => {
    expect(await answered(json(429, nonceWords))).toMatchObject({ kind: 'refused', throttle: 'nonce' })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClientOptions } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import type { OrderOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { runs } from '#test/properties/runs.ts'
import { clientOf, failed, json, order, placed } from '#test/venues/whitebit/client/scripted-venue.ts'

const orders = ['a', 'b', 'c', 'd'].map((name, index) => orderOf(`rung.${name}`, 60_000 - index))
function orderOf(client_order_id: string, price: number) {
  return { ...order, client_order_id, price: String(price) }
}
const good = (index: number, about = {}) =>
  placed({ client_order_id: orders[index]?.client_order_id, price: orders[index]?.price, ...about })
const bad = failed(32, 'Validation failed', { amount: ['Given amount is less than min amount 0.001'] })
const skipped = failed(30, 'Not attempted')

type Shape = ClientOptions['stopOnFailAnswer']

/** The outcomes of the orders of several bulks, sent one after the other by one client, with these answers. */
async function outcomesOfAll(
  answers: readonly unknown[],
  stopOnFail?: boolean,
  shape?: Shape,
): Promise<OrderOutcome[][]> {
  let answered = 0
  const { client } = clientOf(() => json(200, answers[answered++]), { stopOnFailAnswer: shape })
  const outcomes: OrderOutcome[][] = []
  for (const _ of answers)
    outcomes.push(
      (await client.collateralBulk({ orders, ...(stopOnFail !== undefined && { stopOnFail }) })).orders,
    )
  return outcomes
}

async function outcomes(answer: unknown, stopOnFail?: boolean, shape?: Shape): Promise<OrderOutcome[]> {
  return (await outcomesOfAll([answer], stopOnFail, shape))[0] ?? []
}

async function kinds(answer: unknown, stopOnFail?: boolean, shape?: Shape): Promise<string[]> {
  return (await outcomes(answer, stopOnFail, shape)).map(({ kind }) => kind)
}

/** The outcomes of the orders of the second of two bulks with stopOnFail. */
async function secondKinds(first: unknown, then: unknown, shape?: Shape): Promise<string[]> {
  const [, second = []] = await outcomesOfAll([first, then], true, shape)
  return second.map(({ kind }) => kind)
}

const allUnknown = ['unknown', 'unknown', 'unknown', 'unknown']

describe('a bulk without stopOnFail', () => {
  test('has an outcome for every order, each by itself', async () => {
    expect(await kinds([good(0), bad, good(2), bad])).toEqual(['accepted', 'refused', 'accepted', 'refused'])
  })

  test('says of each order what its own element says, whatever the first one says', async () => {
    const other = failed(36, 'The client order id is already used')
    const [first, second, third, fourth] = await outcomes([bad, good(1), other, good(3)], false)
    expect(first).toMatchObject({ kind: 'refused', code: 32, alreadyUsed: false })
    expect(second).toMatchObject({ kind: 'accepted', order: { client_order_id: 'rung.b' } })
    expect(third).toMatchObject({ kind: 'refused', code: 36, alreadyUsed: true })
    expect(fourth).toMatchObject({ kind: 'accepted', order: { client_order_id: 'rung.d' } })
    expect(await kinds([bad], false)).toEqual(['refused', 'unknown', 'unknown', 'unknown'])
  })

  test('with a shorter answer leaves the tail unknown', async () => {
    expect(await kinds([good(0), bad])).toEqual(['accepted', 'refused', 'unknown', 'unknown'])
    expect(await kinds([], false)).toEqual(allUnknown)
  })

  test('calls errors refusals, whatever their words', async () => {
    expect(await kinds([good(0), bad, skipped, skipped])).toEqual([
      'accepted',
      'refused',
      'refused',
      'refused',
    ])
  })
})

describe('a bulk with stopOnFail', () => {
  const read = ['accepted', 'refused', 'not-attempted', 'not-attempted']
  const inDoubt = ['accepted', 'unknown', 'unknown', 'unknown']

  test('ends at the error that its answer ends with', async () => {
    expect(await kinds([good(0), bad], true)).toEqual(read)
    expect(await kinds([bad], true)).toEqual(['refused', 'not-attempted', 'not-attempted', 'not-attempted'])
    expect(await kinds([good(0), good(1), good(2), bad], true)).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'refused',
    ])
    expect(
      await kinds(
        [0, 1, 2, 3].map((index) => good(index)),
        true,
      ),
    ).toEqual(Array(4).fill('accepted'))
  })

  test('ends at the first error where every order has an element', async () => {
    expect(await kinds([good(0), bad, skipped, skipped], true)).toEqual(read)
  })

  test('leaves in doubt what a shorter answer without an error does not name, at any venue', async () => {
    for (const shape of [undefined, 'included', 'absent', 'full'] as const)
      expect(await kinds([good(0)], true, shape)).toEqual(inDoubt)
    expect(await kinds([good(0), good(1), good(2)], true)).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'unknown',
    ])
  })

  test('is in doubt whatever the venue is known for, when its answer is empty', async () => {
    for (const shape of [undefined, 'included', 'absent', 'full'] as const)
      expect(await kinds([], true, shape)).toEqual(allUnknown)
  })

  test('leaves in doubt what a cut answer does not name, where each order has an element', async () => {
    expect(await kinds([good(0), bad], true, 'full')).toEqual(['accepted', 'refused', 'unknown', 'unknown'])
    expect(await kinds([good(0), bad, skipped], true)).toEqual([
      'accepted',
      'refused',
      'not-attempted',
      'unknown',
    ])
  })

  test('believes the answers of the venue more than what it is said to answer', async () => {
    expect(await secondKinds([good(0), bad], [good(0)], 'absent')).toEqual(inDoubt)
    expect(await secondKinds([good(0), bad, skipped, skipped], [good(0), bad])).toEqual([
      'accepted',
      'refused',
      'unknown',
      'unknown',
    ])
  })

  test('names the reason of the failing order', async () => {
    const [, told] = await outcomes([good(0), bad], true)
    expect(told).toMatchObject({ code: 32, alreadyUsed: false })
  })

  test('that goes on after a failure proves nothing', async () => {
    expect(await kinds([good(0), bad, good(2)], true)).toEqual(allUnknown)
  })
})

describe('an answer that does not match its request leaves every order unknown', () => {
  const wrong: [string, unknown][] = [
    ['another id', [good(0), good(1, { client_order_id: 'rung.z' })]],
    ['two orders in each other place', [good(1), good(0)]],
    ['another side', [good(0, { side: 'sell' })]],
    ['another market', [good(0, { market: 'ETH_PERP' })]],
    ['another price', [good(0, { price: '60001' })]],
    ['another amount', [good(0, { amount: '0.2' })]],
    ['more elements than orders', [good(0), good(1), good(2), good(3), bad]],
    ['an element with both', [{ ...good(0), error: bad.error }]],
    ['an element with neither', [{ result: null, error: null }]],
    ['an object', { ok: true }],
    ['an element that is no object', [good(0), 'ok']],
  ]
  test.each(wrong)('%s', async (_what, answer) => {
    for (const stopOnFail of [true, false]) expect(await kinds(answer, stopOnFail)).toEqual(allUnknown)
  })
})

test('prices and amounts are compared as numbers, not as text', async () => {
  const answer = [good(0, { price: '60000.00', amount: '0.020' })]
  expect(await kinds(answer, true)).toEqual(['accepted', 'unknown', 'unknown', 'unknown'])
})

test('an order without an id takes whatever id the venue gave it', async () => {
  const { client } = clientOf(() => json(200, [placed({ client_order_id: 'theirs-1' })]))
  const { client_order_id: _, ...anonymous } = order
  const outcome = await client.collateralBulk({ orders: [anonymous] })
  expect(outcome.orders[0]?.kind).toBe('accepted')
})

describe('an id that is used already is told apart: an earlier attempt was accepted', () => {
  const text = 'This client order id is already used by the current account.'
  test.each([
    ['by code 36', failed(36, 'Validation failed')],
    ['by its text', failed(32, 'Validation failed', { client_order_id: [text] })],
    ['in the other spelling', failed(32, 'Validation failed', { clientOrderId: [text] })],
    ['in the message alone', failed(32, text)],
  ])('%s', async (_how, element) => {
    const [first] = await outcomes([element, bad, bad, bad])
    expect(first).toMatchObject({ kind: 'refused', alreadyUsed: true })
  })
})

test('a bulk that failed as a whole gives every order the same outcome', async () => {
  const refusal = { code: 30, message: 'Validation failed', errors: {} }
  const refused = await clientOf(() => json(422, refusal)).client.collateralBulk({ orders })
  expect(refused).toMatchObject({ kind: 'refused', status: 422, code: 30 })
  expect(refused.orders.map(({ kind }) => kind)).toEqual(Array(4).fill('refused'))
  const unknown = await clientOf(() => json(503, refusal)).client.collateralBulk({ orders })
  expect(unknown.kind).toBe('unknown')
  expect(unknown.orders.map(({ kind }) => kind)).toEqual(allUnknown)
  const unsent = await clientOf(() => json(200, [])).client.collateralBulk({
    orders: [{ ...order, price: '1e5' }, order],
  })
  expect(unsent).toMatchObject({ kind: 'not-sent', cause: 'invalid' })
  expect(unsent.kind === 'not-sent' && Object.keys(unsent.problems)).toEqual(['orders.0.price'])
  expect(unsent.orders.map(({ kind }) => kind)).toEqual(['not-sent', 'not-sent'])
})

test('every order has one outcome, and an acceptance names that very order, whatever the venue answers', async () => {
  const element = fc.oneof(
    fc.constant(bad),
    fc.constant(skipped),
    fc.constant({ result: null, error: null }),
    fc.integer({ min: 0, max: 3 }).map((index) => good(index)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 6 }), fc.boolean(), async (answer, stopOnFail) => {
      const read = await outcomes(answer, stopOnFail)
      expect(read).toHaveLength(orders.length)
      for (const [index, outcome] of read.entries()) {
        if (outcome.kind === 'accepted') expect(outcome.order).toMatchObject(orders[index] ?? {})
        if (outcome.kind === 'not-attempted') expect(stopOnFail).toBe(true)
      }
      if (stopOnFail && !read.some(({ kind }) => kind === 'unknown')) {
        const firstOther = read.findIndex(({ kind }) => kind !== 'accepted')
        const rest = firstOther === -1 ? [] : read.slice(firstOther)
        expect(rest.some(({ kind }) => kind === 'accepted')).toBe(false)
      }
    }),
    runs(300, 9000),
  )
})

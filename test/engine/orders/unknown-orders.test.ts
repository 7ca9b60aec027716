import { expect, test } from 'vitest'
import { accepted, askingGrid, fileOf, submitsOf } from '#test/engine/support/engine-harness.ts'
import {
  answer,
  doubtful,
  first,
  full,
  looksOf,
  notSent,
  nothing,
  placed,
  statuses,
  unknown,
  used,
} from '#test/engine/support/unknown-order.ts'

test('orders without an answer are searched for at once, all in one search', () => {
  const { harness, step, ids } = doubtful()
  expect(looksOf(step)).toEqual([{ kind: 'look', ids: expect.arrayContaining(ids), sentSince: harness.at }])
  expect(submitsOf(step)).toEqual([])
  expect(statuses(harness, ids)).toEqual(new Set(['doubtful']))
})

test('no second search starts before the first has ended, and then the pauses grow', () => {
  const { harness, ids } = doubtful()
  expect(looksOf(harness.wait(20_000))).toEqual([])
  const since = harness.at
  const due: number[] = []
  let last = harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, ...nothing })
  for (let second = 0; second < 200; second++) {
    while (looksOf(last).length > 0) {
      due.push(harness.at - since)
      last = harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, ...nothing })
    }
    last = harness.wait(1000)
  }
  // 2, 6, 14, 30, 62, 122 and 182 s after the doubt began, which was 20 s before: the first three were overdue.
  expect(due).toEqual([0, 0, 0, 10_000, 42_000, 102_000, 162_000])
})

test('a search covers all orders with unknown outcome: the amount held back for one could be for another', () => {
  const { harness, ids } = doubtful()
  harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, ...nothing })
  for (const id of ids.slice(1)) harness.order(id).looks = 9
  const [look] = looksOf(harness.wait(2000))
  expect(look).toMatchObject({ ids: expect.arrayContaining(ids) })
  expect(harness.order(ids[1] ?? '').looks).toBe(9)
})

test('if open orders are listed, a found order is placed, a missing one is absent, and its level may be placed again', () => {
  const { harness, ids } = doubtful()
  harness.at += 1000
  const found = { [first]: placed }
  const step = harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, found, listed: true, freeze: {} })
  expect(harness.order(first).status).toBe('resting')
  const others = ids.filter((id) => id !== first)
  expect(statuses(harness, others)).toEqual(new Set(['ended']))
  const again = submitsOf(step).flatMap(({ orders }) => orders.map(({ id }) => id))
  expect(again.toSorted()).toEqual(others.map((id) => id.replace(/1$/, '2')).toSorted())
  expect(step.notes.filter(({ type }) => type === 'order-resolved')).toHaveLength(ids.length)
})

test('fills that a search finds are booked', () => {
  const { harness, ids } = doubtful()
  const { amount } = harness.order(first)
  const found = { [first]: { ...placed, filled: amount, money: '595', fee: '0.1', ended: true } }
  harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, found, listed: true, freeze: {} })
  expect(harness.order(first)).toMatchObject({ status: 'ended', filled: amount })
  expect(harness.notes()).toContain('fill')
})

test('evidence from before an order was sent proves nothing about it, and neither does incomplete evidence', () => {
  const { harness, ids } = doubtful()
  harness.tell({ kind: 'evidence', ids, fencedAt: harness.at - 1, found: {}, listed: true, freeze: {} })
  harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, ...nothing })
  expect(statuses(harness, ids)).toEqual(new Set(['doubtful']))
})

test('if ids stay used, the same orders are sent again, each by itself, and searched for if the id is used', () => {
  for (const say of [used, () => accepted({ amount: '1', price: '1', ioc: false })]) {
    const { harness, step, ids } = doubtful({ clientIds: 'forever' })
    const [again, ...more] = submitsOf(step)
    expect(more).toEqual([])
    expect(looksOf(step)).toEqual([])
    expect(again).toMatchObject({ stopOnFail: false, strategy: 'sgrid' })
    expect(again?.orders.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
    for (const { id, price, amount, side } of again?.orders ?? [])
      expect({ price, amount, side }).toMatchObject({
        price: harness.order(id).price,
        amount: harness.order(id).amount,
      })
    const answered = answer(harness, step, say)
    expect(statuses(harness, ids)).toEqual(new Set([say === used ? 'doubtful' : 'resting']))
    expect(looksOf(answered)).toHaveLength(say === used ? 1 : 0)
  }
})

const strangers = (identity: 'other' | 'unsure') => ({ [first]: { identity, text: 'at 1' } })

test('an id that is used at the second attempt proves nothing: its order may be another one', () => {
  for (const [about, status] of [
    [{ listed: true, freeze: {}, strangers: strangers('other') }, 'ended'],
    [{ listed: true, freeze: {}, strangers: strangers('unsure') }, 'doubtful'],
    [{ listed: false, freeze: null }, 'doubtful'],
    [{ listed: false, freeze: {}, strangers: strangers('other') }, 'doubtful'],
    // A venue that lists no resting orders can show no more than this.
    [{ listed: false, freeze: {} }, 'resting'],
  ] as const) {
    const { harness, step } = doubtful({ clientIds: 'forever' })
    const { notes } = answer(harness, step, used)
    expect(notes.filter(({ type }) => type === 'order-resolved')).toEqual([])
    harness.tell({ kind: 'evidence', ids: [first], fencedAt: harness.at, found: {}, ...about })
    expect(harness.order(first)).toMatchObject({ status, filled: '0' })
    expect(submitsOf(harness.wait(2000)).flatMap(({ orders }) => orders.map(({ id }) => id))).not.toContain(
      first,
    )
  }
})

test('no order is sent again during a search, and a search begins at its first send', () => {
  const { harness, step, ids } = doubtful({ clientIds: 'forever' })
  const since = harness.at
  answer(harness, step, unknown)
  for (const rung of harness.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) - 1}`
  expect(looksOf(harness.wait(2000))).toMatchObject([{ sentSince: since }])
  for (const rung of harness.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) + 1}`
  expect(submitsOf(harness.wait(10_000))).toEqual([])
  expect(submitsOf(harness.tell({ kind: 'evidence', ids, fencedAt: since, ...nothing }))).toHaveLength(1)
})

test('a confirmed order that no list shows is neither absent nor sent again', () => {
  const { harness, step } = doubtful({ clientIds: 'forever' })
  answer(harness, step, () => accepted({ amount: '1', price: '1', ioc: false }))
  const gone = harness.withdrawn([first], 'gone', 'in no list')
  expect([submitsOf(gone).length, looksOf(gone).length]).toEqual([0, 1])
  harness.tell({ kind: 'evidence', ids: [first], fencedAt: harness.at, found: {}, listed: true, freeze: {} })
  expect(harness.order(first)).toMatchObject({
    status: 'doubtful',
    why: expect.stringContaining('confirmed it once'),
  })
})

test('for an order sent again, neither a refusal nor a call that was not sent is a proof', () => {
  for (const say of [full, notSent]) {
    const { harness, step, ids } = doubtful({ clientIds: 'forever' })
    answer(harness, step, say)
    expect(statuses(harness, ids)).toEqual(new Set(['doubtful']))
    const why =
      say === full ? 'sent again, the venue refused it: not enough' : 'sent again, the venue did not reach it'
    expect(harness.order(first).why).toBe(why)
    expect(Object.keys(harness.engine.state.orders)).toHaveLength(ids.length)
  }
})

test('what a read has proved stays proved, whatever the answer is', () => {
  for (const say of [used, unknown, notSent, full]) {
    const { harness, step } = doubtful({ clientIds: 'forever' })
    const { amount } = harness.order(first)
    harness.tell({
      kind: 'seen',
      orders: [{ id: first, ...placed, filled: amount, money: '105', ended: true }],
    })
    answer(harness, step, say)
    expect(harness.order(first).status).toBe('ended')
  }
})

test('an order sent again and listed before its answer is resolved, and that is reported once', () => {
  for (const say of [used, () => accepted({ amount: '1', price: '1', ioc: false })]) {
    const { harness, step } = doubtful({ clientIds: 'forever' })
    const notes = [
      ...harness.tell({ kind: 'seen', orders: [{ id: first, ...placed }] }).notes,
      ...answer(harness, step, say).notes,
    ]
    const ends = notes.filter((note) => note.type === 'order-resolved' && note.order === first)
    expect(ends).toMatchObject([{ outcome: 'placed' }])
  }
})

test('a restart makes the outcome of orders in flight unknown, and nothing is sent under another id', () => {
  const { harness, step: asking } = askingGrid()
  const [submit] = submitsOf(asking)
  const ids = submit?.orders.map(({ id }) => id) ?? []
  const { venue } = harness.engine.state
  const step = harness.tell({
    kind: 'began',
    venue,
    strategies: [{ name: 'sgrid', text: fileOf('static-grid') }],
  })
  expect(
    submitsOf(step)
      .flatMap(({ orders }) => orders.map(({ id }) => id))
      .toSorted(),
  ).toEqual(ids.toSorted())
  answer(harness, step, () => accepted({ amount: '1', price: '1', ioc: false }))
  expect(statuses(harness, ids)).toEqual(new Set(['resting']))
})

test("if the venue's time runs faster, a strategy waits as long in our time before it halts", () => {
  const { harness } = doubtful({ clientIds: 'unproven', speed: 60 })
  expect(harness.wait(60_000).notes).toEqual([])
  expect(harness.wait(60 * 60_000).notes).toMatchObject([{ type: 'halted' }])
})

test('an outcome unknown for too long halts the strategy, the order counts, and an operator can resolve it', () => {
  const { harness, ids } = doubtful()
  expect(harness.wait(29_000).notes).toEqual([])
  const step = harness.wait(60_000)
  expect(step.notes).toMatchObject([
    { type: 'halted', strategy: 'sgrid', reason: expect.stringContaining('resolve') },
  ])
  expect(statuses(harness, ids)).toEqual(new Set(['doubtful']))
  harness.tell({ kind: 'operator', act: 'resolve', order: first, as: 'placed', reason: 'seen it' })
  for (const order of ids.slice(1))
    harness.tell({ kind: 'operator', act: 'resolve', order, as: 'absent', reason: 'asked' })
  expect([harness.order(first).status, harness.order(ids[1] ?? '').status]).toEqual(
    ids[1] === first ? ['resting', 'resting'] : ['resting', 'ended'],
  )
})

test('an order whose id is used at the first attempt is searched for, and never sent again', () => {
  const { harness, step, ids } = doubtful({ clientIds: 'forever' }, used)
  expect(statuses(harness, ids)).toEqual(new Set(['doubtful']))
  expect(looksOf(step)).toMatchObject([{ ids }])
  expect(
    submitsOf(step)
      .flatMap(({ orders }) => orders)
      .filter(({ id }) => ids.includes(id)),
  ).toEqual([])
  const evidence = { kind: 'evidence', ids, fencedAt: harness.at, ...nothing } as const
  const found = Object.fromEntries(ids.map((id) => [id, placed]))
  // Two looks that do not agree prove nothing: it is looked for again.
  harness.tell({ ...evidence, listed: false })
  expect(looksOf(harness.wait(10_000))).toMatchObject([{ ids }])
  const proved = harness.tell({ ...evidence, fencedAt: harness.at, listed: true, found })
  expect(statuses(harness, ids)).toEqual(new Set(['resting']))
  expect(
    submitsOf(proved)
      .flatMap(({ orders }) => orders)
      .map(({ generation }) => generation),
  ).not.toContain(2)
})

test('ids of an earlier use of the account are skipped, in growing steps', () => {
  const { harness, step, ids } = doubtful({ clientIds: 'forever' }, used)
  let sent = ids
  let [submit] = submitsOf(step)
  const generations: number[] = []
  for (let round = 0; round < 4; round++) {
    const absent = { kind: 'evidence', ids: sent, fencedAt: harness.at, ...nothing, listed: true } as const
    ;[submit] = submitsOf(harness.tell(absent))
    if (!submit) throw new Error('nothing was sent')
    sent = submit.orders.map(({ id }) => id)
    generations.push(submit.orders[0]?.generation ?? 0)
    harness.tell({ kind: 'answered', chunk: submit.chunk, orders: submit.orders.map(used) })
  }
  expect(generations).toEqual([3, 7, 15, 31])
})

test('if the venue accepts an id once, an older order under it proves that ours was not accepted', () => {
  for (const clientIds of ['forever', 'unproven'] as const) {
    const { harness, ids } = doubtful({ clientIds }, clientIds === 'forever' ? used : unknown)
    const strangers = { [first]: { identity: 'older', text: 'BTC_USDT: buy 1 at 1' } } as const
    // Nothing else is proved: the looks did not agree.
    const step = harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, ...nothing, strangers })
    expect(harness.order(first).status).toBe(clientIds === 'forever' ? 'ended' : 'doubtful')
    const ends = step.notes.filter(({ type }) => type === 'order-resolved')
    expect(ends).toHaveLength(clientIds === 'forever' ? 1 : 0)
  }
})

test('an order that may be ours or of others leaves the outcome of ours unknown', () => {
  const { harness, ids } = doubtful()
  const strangers = { [first]: { identity: 'unsure', text: 'BTC_USDT: buy 1 at 1' } } as const
  harness.tell({
    kind: 'evidence',
    ids,
    fencedAt: harness.at,
    found: {},
    strangers,
    listed: true,
    freeze: {},
  })
  expect(harness.order(first)).toMatchObject({
    status: 'doubtful',
    why: expect.stringContaining('buy 1 at 1'),
  })
  expect(statuses(harness, ids.slice(1))).toEqual(new Set(['ended']))
})

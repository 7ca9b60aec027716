import { expect, test } from 'vitest'
import { Desk, fileOf, submitsOf } from '#test/engine/support/engine-harness.ts'
import { answer, doubtful, first, looksOf, nothing, unknown } from '#test/engine/support/unknown-order.ts'

const search = { fencedAt: 5, look: { at: 6, found: false, print: '' } }

function restart(desk: Desk, address?: string) {
  const venue = { ...desk.engine.state.venue, ...(address !== undefined && { address }) }
  return desk.tell({ kind: 'began', venue, strategies: [{ name: 'sgrid', text: fileOf('static-grid') }] })
}

test('a new process continues a search, and the interrupted try does not count', () => {
  const { desk, ids } = doubtful()
  const { looks } = desk.order(first)
  desk.tell({ kind: 'searched', orders: { [first]: search } })
  for (let life = 0; life < 5; life++) {
    desk.at += 15_000
    const [look] = looksOf(restart(desk))
    expect(look).toMatchObject({ ids: expect.arrayContaining(ids), searched: { [first]: search } })
    expect(desk.order(first).looks).toBe(looks)
  }
})

test('an order that is sent again needs a new fence', () => {
  const { desk, step } = doubtful({ clientIds: 'forever' })
  answer(desk, step, unknown)
  for (const rung of desk.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) - 1}`
  const looking = looksOf(desk.wait(2000))
  expect(looking).toHaveLength(1)
  desk.tell({ kind: 'searched', orders: { [first]: search } })
  for (const rung of desk.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) + 1}`
  desk.wait(10_000)
  const ids = looking.flatMap((look) => (look.kind === 'look' ? look.ids : []))
  const again = desk.tell({ kind: 'evidence', ids, fencedAt: desk.at, ...nothing })
  expect(submitsOf(again).flatMap(({ orders }) => orders.map(({ id }) => id))).toContain(first)
  expect(desk.order(first)).not.toHaveProperty('search')
})

test('a search at another address proves nothing about orders sent to the earlier one', () => {
  const { desk, ids } = doubtful()
  desk.engine.state.venue.address = 'https://one.example'
  restart(desk, 'https://other.example')
  const evidence = { kind: 'evidence', ids, found: {}, listed: true, freeze: {} } as const
  desk.tell({ ...evidence, fencedAt: desk.at })
  expect(desk.order(first)).toMatchObject({
    status: 'doubtful',
    why: expect.stringContaining('https://one.example'),
  })
  restart(desk, 'https://one.example')
  desk.tell({ ...evidence, fencedAt: desk.at })
  expect(desk.order(first).status).toBe('ended')
})

test('an order keeps the time that the venue told before its first send, and a search begins there', () => {
  const desk = new Desk([fileOf('static-grid')], { clientIds: 'forever' })
  const heard = desk.at - 65_000
  desk.tell({ kind: 'tick', heard })
  desk.quote('BTC_USDT', 60_000)
  const step = desk.candle('BTC_USDT', '1m', 60_000)
  expect(desk.order(first).heard).toBe(heard)
  answer(desk, answer(desk, step, unknown), unknown)
  desk.tell({ kind: 'tick', heard: desk.at })
  expect(desk.order(first)).toMatchObject({ attempts: 2, heard })
  for (const rung of desk.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) - 1}`
  expect(looksOf(desk.wait(10_000))).toMatchObject([{ sentSince: heard }])
})

test('the last time of the venue is kept in the next process, unless it has another venue or tells a later one', () => {
  const { desk } = doubtful()
  desk.tell({ kind: 'tick', heard: desk.at })
  restart(desk)
  expect(desk.engine.state.heard).toBe(desk.at)
  const { venue } = desk.engine.state
  desk.tell({ kind: 'began', venue, strategies: [], heard: desk.at + 1 })
  expect(desk.engine.state.heard).toBe(desk.at + 1)
  restart(desk, 'https://other.example')
  expect(desk.engine.state.heard).toBeUndefined()
})

import { expect, test } from 'vitest'
import { EngineHarness, fileOf, submitsOf } from '#test/engine/support/engine-harness.ts'
import { answer, doubtful, first, looksOf, nothing, unknown } from '#test/engine/support/unknown-order.ts'

const search = { fencedAt: 5, look: { at: 6, found: false, print: '' } }

function restart(harness: EngineHarness, address?: string) {
  const venue = { ...harness.engine.state.venue, ...(address !== undefined && { address }) }
  return harness.tell({ kind: 'began', venue, strategies: [{ name: 'sgrid', text: fileOf('static-grid') }] })
}

test('a new process continues a search, and the interrupted try does not count', () => {
  const { harness, ids } = doubtful()
  const { looks } = harness.order(first)
  harness.tell({ kind: 'searched', orders: { [first]: search } })
  for (let life = 0; life < 5; life++) {
    harness.at += 15_000
    const [look] = looksOf(restart(harness))
    expect(look).toMatchObject({ ids: expect.arrayContaining(ids), searched: { [first]: search } })
    expect(harness.order(first).looks).toBe(looks)
  }
})

test('an order that is sent again needs a new fence', () => {
  const { harness, step } = doubtful({ clientIds: 'forever' })
  answer(harness, step, unknown)
  for (const rung of harness.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) - 1}`
  const looking = looksOf(harness.wait(2000))
  expect(looking).toHaveLength(1)
  harness.tell({ kind: 'searched', orders: { [first]: search } })
  for (const rung of harness.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) + 1}`
  harness.wait(10_000)
  const ids = looking.flatMap((look) => (look.kind === 'look' ? look.ids : []))
  const again = harness.tell({ kind: 'evidence', ids, fencedAt: harness.at, ...nothing })
  expect(submitsOf(again).flatMap(({ orders }) => orders.map(({ id }) => id))).toContain(first)
  expect(harness.order(first)).not.toHaveProperty('search')
})

test('a search at another address proves nothing about orders sent to the earlier one', () => {
  const { harness, ids } = doubtful()
  harness.engine.state.venue.address = 'https://one.example'
  restart(harness, 'https://other.example')
  const evidence = { kind: 'evidence', ids, found: {}, listed: true, freeze: {} } as const
  harness.tell({ ...evidence, fencedAt: harness.at })
  expect(harness.order(first)).toMatchObject({
    status: 'doubtful',
    why: expect.stringContaining('https://one.example'),
  })
  restart(harness, 'https://one.example')
  harness.tell({ ...evidence, fencedAt: harness.at })
  expect(harness.order(first).status).toBe('ended')
})

test('an order keeps the time that the venue told before its first send, and a search begins there', () => {
  const harness = new EngineHarness([fileOf('static-grid')], { clientIds: 'forever' })
  const heard = harness.at - 65_000
  harness.tell({ kind: 'tick', heard })
  harness.quote('BTC_USDT', 60_000)
  const step = harness.candle('BTC_USDT', '1m', 60_000)
  expect(harness.order(first).heard).toBe(heard)
  answer(harness, answer(harness, step, unknown), unknown)
  harness.tell({ kind: 'tick', heard: harness.at })
  expect(harness.order(first)).toMatchObject({ attempts: 2, heard })
  for (const rung of harness.ladder('sgrid', 'grid').rungs) rung.price = `${Number(rung.price) - 1}`
  expect(looksOf(harness.wait(10_000))).toMatchObject([{ sentSince: heard }])
})

test('the last time of the venue is kept in the next process, unless it has another venue or tells a later one', () => {
  const { harness } = doubtful()
  harness.tell({ kind: 'tick', heard: harness.at })
  restart(harness)
  expect(harness.engine.state.heard).toBe(harness.at)
  const { venue } = harness.engine.state
  harness.tell({ kind: 'began', venue, strategies: [], heard: harness.at + 1 })
  expect(harness.engine.state.heard).toBe(harness.at + 1)
  restart(harness, 'https://other.example')
  expect(harness.engine.state.heard).toBeUndefined()
})

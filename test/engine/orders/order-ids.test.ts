import { describe, expect, test } from 'vitest'
import { newTag, orderIdOf, readOrderId } from '#src/engine/orders/order-ids.ts'
import { Engine } from '#src/engine/engine.ts'
import { fileOf, restingGrid, submitsOf } from '#test/engine/support/engine-harness.ts'

const place = { strategy: 'sgrid', ladder: 'grid', label: 'b1' }

describe('the ids of a journal with a tag', () => {
  test('carry it before the number of the order, entries and exits alike', () => {
    const harness = restingGrid({}, 'k7')
    const ids = Object.keys(harness.engine.state.orders)
    expect(ids).toContain('sgrid.grid.b1.k71')
    expect(ids.filter((id) => readOrderId(id)?.tag !== 'k7')).toEqual([])
    const mirrors = submitsOf(harness.fill('sgrid.grid.b1.k71')).flatMap(({ orders }) => orders)
    expect(mirrors.map(({ id }) => id)).toEqual(['sgrid.grid.mb1.k71'])
  })

  test('stay the same in every later session, whatever tag that session has drawn', () => {
    const { engine, at } = restingGrid({}, 'k7')
    const later = new Engine(JSON.parse(JSON.stringify(engine.state)))
    const { venue } = engine.state
    later.step({ kind: 'began', at: at + 1000, venue, strategies: [], tag: 'q2' })
    expect(later.state.tag).toBe('k7')
  })
})

test('a journal that began without a tag keeps ids without one', () => {
  const harness = restingGrid()
  expect(Object.keys(harness.engine.state.orders)).toContain('sgrid.grid.b1.1')
  const { venue } = harness.engine.state
  const strategies = [{ name: 'sgrid', text: fileOf('static-grid') }]
  harness.tell({ kind: 'began', venue, strategies, tag: 'k7' })
  expect(harness.engine.state.tag).toBeUndefined()
})

test('a tag takes no room: all numbers that a strategy file reserves space for stay as short as in decimal', () => {
  const [without, tagged] = [{}, { tag: 'zz' }].map((state) => orderIdOf(state, place, 9_999_999))
  expect(without).toBe('sgrid.grid.b1.9999999')
  expect(tagged?.length).toBe(without?.length)
})

test('an id is read back in both forms', () => {
  for (const tag of [undefined, 'a0', 'zz', 'k7'])
    for (const label of ['b1', 's12', '7', 'mb1', 'ms3-2', 't2', 'st', 'ag-3'])
      for (const generation of [1, 35, 36, 121, 9_999_999]) {
        const id = orderIdOf({ ...(tag && { tag }) }, { ...place, label }, generation)
        expect(readOrderId(id)).toEqual({ ...place, label, tag, generation })
      }
})

test.each([
  '',
  'x',
  'sgrid.grid.b1',
  'my-bot.order.12.5',
  'a.b.c.d',
  'sgrid.grid.b1.K71',
  'sgrid.grid.xy.1',
  'l-12',
])('another id is not read as ours: %s', (id) => expect(readOrderId(id)).toBeUndefined())

test('a tag begins with a letter, so that it never reads like a decimal number', () => {
  const tags = new Set<string>()
  for (let first = 0; first < 26; first++)
    for (let second = 0; second < 36; second++) {
      const draws = [(first + 0.5) / 26, (second + 0.5) / 36]
      tags.add(newTag(() => draws.shift() ?? NaN))
    }
  expect(tags.size).toBe(936)
  expect([...tags].filter((tag) => !/^[a-z][0-9a-z]$/.test(tag))).toEqual([])
})

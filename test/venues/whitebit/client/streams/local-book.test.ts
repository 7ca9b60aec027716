import { describe, expect, test } from 'vitest'
import { LocalBook, type BookFrame } from '#src/venues/whitebit/client/streams/local-book.ts'

const whole: BookFrame = {
  update_id: 10,
  asks: [
    ['61', '1'],
    ['62.5', '2'],
  ],
  bids: [
    ['60', '3'],
    ['9.5', '4'],
  ],
}

function opened(limit = 100): LocalBook {
  const book = new LocalBook(limit)
  expect(book.replace(whole)).toBeUndefined()
  return book
}

const plain = ({ asks, bids }: LocalBook) => ({
  asks: asks.map(({ price, amount }) => [price, amount]),
  bids: bids.map(({ price, amount }) => [price, amount]),
})

test('levels change, come and go, and prices are compared as numbers', () => {
  const book = opened()
  const change: BookFrame = {
    update_id: 17,
    past_update_id: 10,
    asks: [
      ['61.0', '0'],
      ['100', '7'],
    ],
    bids: [
      ['60.00', '5'],
      ['10', '1'],
      ['8', '0'],
    ],
  }
  expect(book.change(change)).toBeUndefined()
  expect(book.updateId).toBe(17)
  expect(plain(book)).toEqual({
    asks: [
      ['62.5', '2'],
      ['100', '7'],
    ],
    bids: [
      ['60.00', '5'],
      ['10', '1'],
      ['9.5', '4'],
    ],
  })
})

test('a side that is not mentioned has not changed, and what lies beyond the limit is forgotten', () => {
  const book = opened(2)
  expect(book.change({ update_id: 11, past_update_id: 10, bids: [['60.5', '1']] })).toBeUndefined()
  expect(plain(book)).toEqual({
    asks: [
      ['61', '1'],
      ['62.5', '2'],
    ],
    bids: [
      ['60.5', '1'],
      ['60', '3'],
    ],
  })
})

describe('what cannot be is said, and nothing is known afterwards', () => {
  test.each<[string, BookFrame]>([
    ['a frame is missing', { update_id: 12, past_update_id: 11 }],
    ['a frame is missing', { update_id: 12 }],
    ['the update ids do not increase', { update_id: 10, past_update_id: 10 }],
    ['the best bid is not below the best ask', { update_id: 11, past_update_id: 10, bids: [['61', '1']] }],
    ['a price is zero', { update_id: 11, past_update_id: 10, bids: [['0', '1']] }],
    ['a price is zero', { update_id: 11, past_update_id: 10, asks: [['0.0', '1']] }],
  ])('%s', (reason, frame) => {
    const book = opened()
    expect(book.change(frame)).toBe(reason)
    expect(book.updateId).toBeUndefined()
    expect(plain(book)).toEqual({ asks: [], bids: [] })
  })

  test.each<[string, Partial<BookFrame>]>([
    ['levels out of order', { asks: whole.asks?.toReversed() }],
    ['levels out of order', { bids: whole.bids?.toReversed() }],
    [
      'levels out of order',
      {
        bids: [
          ['60', '1'],
          ['60.0', '2'],
        ],
      },
    ],
    ['levels out of order', { bids: [['60', '0.00']] }],
    ['the best bid is not below the best ask', { bids: [['61', '1']] }],
    ['a price is zero', { bids: [['0', '1']] }],
  ])('%s, in a whole book', (reason, wrong) => {
    const book = new LocalBook(100)
    expect(book.replace({ ...whole, ...wrong })).toBe(reason)
    expect(book.updateId).toBeUndefined()
  })
})

test('a whole book that contradicts what was kept is said, and believed', () => {
  const book = opened()
  expect(book.replace(whole)).toBeUndefined()
  expect(book.replace({ ...whole, bids: [['60', '3.5']] })).toBe('the book does not fit the last one')
  expect(plain(book).bids).toEqual([['60', '3.5']])
  expect(book.replace({ ...whole, update_id: 9 })).toBe('an older book came')
  expect(book.updateId).toBe(9)
  // A newer one need not be alike.
  expect(book.replace({ ...whole, update_id: 12, bids: [] })).toBeUndefined()
})

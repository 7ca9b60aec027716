import { expect, test } from 'vitest'
import { repeatedCalls } from './judge.ts'

const call = (nonce: number, answered = true) => ({
  path: '/api/v4/order/cancel',
  body: `{"nonce":"${nonce}"}`,
  answered,
})

test.each([
  ['nonces rise', [call(1), call(2), call(3)], []],
  ['a nonce is used twice', [call(1), call(1, false)], ['with nonce 1 for the second time']],
  ['nonces fall', [call(2), call(1)], ['with nonce 1 after 2']],
  ['a call that was given up arrives late', [call(2), call(1, false), call(3)], []],
  ['public calls have no nonce', [{ path: '/ping', body: '', answered: true }, call(1)], []],
])('%s', (_, calls, found) => {
  expect(repeatedCalls(calls)).toEqual(found.map((text) => expect.stringContaining(text)))
})

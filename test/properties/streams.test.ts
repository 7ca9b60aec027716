import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Exchange } from '#src/exchange/exchange.ts'
import { Hub } from '#src/exchange/streams/hub.ts'
import { grantToken } from '#src/exchange/http/stream-tokens.ts'
import { beginsAt, worldWith } from '#test/exchange/exchange-fixture.ts'
import { runs } from './runs.ts'

const reply = z.object({
  error: z.object({ code: z.int(), message: z.string() }).nullable(),
  result: z.unknown(),
  id: z.int().nullable(),
})

const channels = [
  'depth',
  'trades',
  'bookTicker',
  'lastprice',
  'market',
  'marketToday',
  'candles',
  'ordersPending',
  'ordersExecuted',
  'deals',
  'balanceSpot',
  'balanceMargin',
  'positionsMargin',
]
const verbs = ['subscribe', 'unsubscribe', 'request', 'query', 'update']
const method = fc.oneof(
  fc.constantFrom(...channels.flatMap((channel) => verbs.map((verb) => `${channel}_${verb}`))),
  fc.constantFrom('ping', 'time', 'authorize', '__proto__', 'toString', ''),
)
const word = fc.oneof(
  fc.constantFrom('SOL_PERP', 'BTC_USDT', 'USDT', '0', '0.1', 'public', 'A_B'),
  fc.constantFrom(0, 1, 5, 100, 60, 86_400, 1_790_000_000, -1, 2 ** 53),
  fc.constantFrom<unknown>(true, false, null, ['SOL_PERP'], [], { market: 'SOL_PERP', order_types: [1] }),
  fc.jsonValue(),
)
const request = fc.record({
  id: fc.oneof(fc.integer(), fc.jsonValue()),
  method,
  params: fc.oneof(fc.array(word, { maxLength: 5 }), fc.jsonValue()),
})

test('every message to a stream has one answer, and changes nothing in trading', () => {
  const exchange = new Exchange({
    world: worldWith({ rateLimits: 'off' }),
    seed: 'streams',
    begin: beginsAt,
    profile: 'full',
  })
  const { state } = exchange
  const paper = state.accounts.get('paper')
  if (paper === undefined) throw new Error('the world has an account named paper')
  const token = grantToken(state, paper, beginsAt)
  fc.assert(
    fc.property(fc.array(fc.oneof(request, fc.jsonValue()), { maxLength: 20 }), (said) => {
      const heard: string[] = []
      const hub = new Hub(
        exchange.venue,
        (_readers, text) => heard.push(text),
        () => {},
      )
      const reader = hub.enter()
      hub.receive(reader, JSON.stringify({ id: 1, method: 'authorize', params: [token, 'public'] }), beginsAt)
      expect(heard.splice(0)).toHaveLength(1)
      for (const one of said) {
        const closing = hub.receive(reader, JSON.stringify(one), beginsAt)
        hub.tick(beginsAt)
        hub.flush(beginsAt)
        const replies = heard.splice(0).filter((text) => !text.startsWith('{"method"'))
        expect(replies).toHaveLength(closing === undefined ? 1 : 0)
        for (const text of replies) reply.parse(JSON.parse(text))
      }
      hub.leave(reader)
      expect(exchange.venue.trading.listener).toBeUndefined()
    }),
    runs(300, 20_000),
  )
  expect(state.trades).toBe(0)
})

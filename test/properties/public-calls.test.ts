import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { publicError, wordings } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { publicRequest } from '#src/venues/whitebit/client/calls/signed-request.ts'
import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { openVenue } from '#test/exchange/exchange-fixture.ts'
import { arbitraryOf } from './arbitrary-of.ts'
import { runs } from './runs.ts'

const rows = Object.entries<Endpoint>(contract).filter(([, { access }]) => access === 'public')
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('BTC_PERP', '1', '0', '-1', '1h', 'sell', '%', '%00', '__proto__', '1790000000'),
)

const noHeaders = { headers: {}, body: new Uint8Array(), origin: '127.0.0.1' }

/** A success of the row, or a refusal in its wording or the plain one. */
function expectDocumented(row: Endpoint, { status, body }: WireResponse): void {
  const answer: unknown = JSON.parse(body)
  const fits = (schema: { safeParse(value: unknown): { success: boolean } }) =>
    schema.safeParse(answer).success
  const documented = {
    200: fits(row.response) || (row.wording === 'wrapped' && fits(wordings.wrapped)),
    400: fits(publicError),
    404: fits(publicError) || fits(wordings.flat) || body.includes('"code":0'),
    422: row.wording === 'flat' && fits(wordings.flat),
  }
  expect(Reflect.get(documented, status), `${row.path} ${status} ${body}`).toBe(true)
}

test.each(rows)('%s answers any query in a documented shape, and changes nothing', (_, row) => {
  const names = fc.oneof(text, fc.constantFrom('x', ...Object.keys(row.request.shape)))
  const query = fc.oneof(
    text,
    fc.array(fc.tuple(names, text), { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs).toString()),
  )
  fc.assert(
    fc.property(text, query, (end, query) => {
      const { exchange, now } = openVenue({ profile: 'full' })
      const before = canonical(exchange.state)
      const path = row.path.replace('{market}', end)
      expectDocumented(row, exchange.handle({ method: 'GET', path, query, ...noHeaders }, now()))
      expect(canonical(exchange.state)).toBe(before)
    }),
    runs(60, 400),
  )
})

test.each(rows)('%s accepts every request that the client can send', (_, row) => {
  fc.assert(
    fc.property(arbitraryOf(row.request), (wire) => {
      const { exchange, now } = openVenue({ profile: 'full' })
      const request = { ...publicRequest(row, { ...Object(wire) }), origin: '127.0.0.1' }
      const { status, body } = exchange.handle(request, now())
      // The client cannot know the refusals of the venue's rules: an unknown market, an early end.
      const problems = Object.keys({ ...Object(JSON.parse(body)), ...Object(JSON.parse(body).message) })
      if (status !== 200) expect(['market', 'endDate']).toContain(problems[0])
    }),
    runs(60, 400),
  )
})

import { expect } from 'vitest'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { inverted, noNames, respell } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { balanceOf, imbalances, type LedgerHolder } from '#src/exchange/ledger/ledger.ts'
import type { Entry } from '#src/exchange/venue-context.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { beginsAtMs, type SignedAbout, type TestVenue } from '#test/support/venue.ts'
import { canonical } from '#test/exchange/state-text.ts'
import { clause, type Clause } from '#test/venues/whitebit/contract/spec/clause.ts'
import { errorOf, last } from '#test/venues/whitebit/contract/spec/reading.ts'

/**
 * One thing that is so beyond the specification, in profile full. Whatever a clause does, value is conserved, and
 * what was recorded of it, done again from the beginning, gives the same state.
 */
export function beyond(
  chapter: string,
  sentence: string,
  tell: (venue: TestVenue) => Promise<void>,
  options: Clause['options'] = {},
): Clause {
  const kept = async (venue: TestVenue) => {
    const recorded: string[] = []
    venue.exchange.venue.record = (entry) => recorded.push(JSON.stringify(entry))
    await tell(venue)
    const { state } = venue.exchange
    const { world, profile } = venue.exchange.venue
    expect(imbalances(state.ledger)).toEqual(new Map())
    const again = new Exchange({ world, profile, seed: state.seed, begin: beginsAtMs })
    for (const text of recorded) {
      const entry: Entry = JSON.parse(text)
      again.redo(entry)
    }
    again.advance(state.at)
    expect(canonical(again.state)).toBe(canonical(state))
  }
  return clause(`beyond.${chapter}`, sentence, kept, { profile: 'full', ...options })
}

/** The success of a call that the test signed itself, as it stood on the wire. */
export async function answered(
  venue: TestVenue,
  name: EndpointName,
  parameters: object = {},
  about: SignedAbout = {},
): Promise<unknown> {
  await venue.signed(name, parameters, about)
  return shownOf(venue, name)
}

/** The last answer, which must be a success of this row. */
export function shownOf(venue: TestVenue, name: EndpointName): unknown {
  const row: Endpoint = contract[name]
  const { status, body, contentType } = last(venue)
  expect({ status, contentType }, body).toEqual({
    status: row.created ? 201 : 200,
    contentType: 'application/json',
  })
  const answer: unknown = JSON.parse(body)
  const inOurNames = respell(answer, inverted(row.camel?.response ?? noNames))
  expect(row.response.safeParse(inOurNames).success, body).toBe(true)
  return answer
}

/** A refusal by the rules of the venue: a call that is well formed, and changes nothing. */
export async function refusedBy(
  venue: TestVenue,
  name: EndpointName,
  parameters: object,
  wanted: { code: number; key: string },
  about: SignedAbout = {},
): Promise<string | undefined> {
  const before = canonical(venue.exchange.state).match(/"ledger":.*?"books"/)?.[0]
  const error = errorOf(await venue.signed(name, parameters, about))
  const told = `${name} ${JSON.stringify(parameters)}`
  expect({ code: error.code, status: error.status, keys: error.keys, message: error.message }, told).toEqual({
    code: wanted.code,
    status: 422,
    keys: [wanted.key],
    message: 'Inner validation failed',
  })
  expect(canonical(venue.exchange.state).match(/"ledger":.*?"books"/)?.[0]).toBe(before)
  return error.errors[wanted.key]?.[0]
}

export function holds(venue: TestVenue, holder: LedgerHolder, ticker: string): string {
  return formatAtoms(balanceOf(venue.exchange.state.ledger, holder, ticker))
}

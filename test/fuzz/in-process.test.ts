import { expect, test } from 'vitest'
import { imbalances } from '#src/exchange/ledger/ledger.ts'
import type { Profile } from '#src/exchange/venue-context.ts'
import { openVenue, type TestExchange } from '#test/exchange/exchange-fixture.ts'
import { seed, times } from '../properties/runs.ts'
import { chanceOf } from './chance.ts'
import { belongings, complaintAbout, isRefusal } from './answer-check.ts'
import { malformed, type Case } from './requests.ts'

const cases = times(100_000, 1_000_000, 3000)
const casesPerVenue = 2000
const slowestMs = 100

/** The whole case on one line, to repeat it alone. */
function caseText({ request: { method, path, headers, body } }: Case): string {
  const text = Buffer.from(body).toString('latin1').slice(0, 600)
  return `${method} ${path.slice(0, 100)} ${JSON.stringify(headers).slice(0, 300)} ${JSON.stringify(text)}`
}

function tryOut(
  venue: TestExchange,
  one: Case,
  before: string,
  profile: Profile,
): { problem?: string; after: string; status: number } {
  // The CPU time of this thread, so that other processes do not matter.
  const began = process.threadCpuUsage()
  const response = venue.exchange.handle(one.request, venue.now())
  const { user, system } = process.threadCpuUsage(began)
  const tookMs = (user + system) / 1000
  const after = belongings(venue.exchange.state)
  const complaint = complaintAbout(one.row, response, profile)
  const problem =
    complaint ??
    (one.forged && response.status < 300 ? 'a forgery that was taken' : undefined) ??
    (tookMs > slowestMs ? `${tookMs} ms` : undefined) ??
    (after !== before && isRefusal(one.row, response) ? 'a refusal that changed something' : undefined)
  return {
    after,
    status: response.status,
    ...(problem === undefined ? {} : { problem: `${problem}: ${response.body.slice(0, 300)}` }),
  }
}

test(`${cases} malformed requests get an error in its documented shape, at once, and change nothing`, () => {
  const byStatus = new Map<number, number>()
  for (let done = 0; done < cases;) {
    const part = seed + done
    const chance = chanceOf(part)
    const profile = (done / casesPerVenue) % 2 === 0 ? 'spec' : 'full'
    const venue = openVenue({ profile })
    let before = belongings(venue.exchange.state)
    for (let index = 0; index < casesPerVenue; index++, done++) {
      venue.pass(15)
      // A kill switch that is due acts now, so that its effect does not count as one of the next request.
      if (venue.exchange.nextAt() <= venue.now()) {
        venue.exchange.advance(venue.now())
        before = belongings(venue.exchange.state)
      }
      const one = malformed(chance, venue.now(), venue.now(), profile)
      const where = `profile ${profile}, part ${part}, case ${index}`
      try {
        const { problem, after, status } = tryOut(venue, one, before, profile)
        if (problem !== undefined) throw new Error(problem)
        before = after
        byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      } catch (error) {
        throw new Error(`${where}: ${String(error)}\n${caseText(one)}`, { cause: error })
      }
    }
    expect(imbalances(venue.exchange.state.ledger)).toEqual(new Map())
    expect(Object.keys(Object.prototype)).toEqual([])
  }
  const share = (...statuses: number[]) =>
    statuses.reduce((sum, status) => sum + (byStatus.get(status) ?? 0), 0) / cases
  // Enough requests reach the handlers instead of failing earlier.
  expect(share(200, 201, 400, 422)).toBeGreaterThan(0.6)
  expect(share(401)).toBeGreaterThan(0.02)
})

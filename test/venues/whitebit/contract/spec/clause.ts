import { expect } from 'vitest'
import { isSlowRun } from '#test/properties/runs.ts'
import { openVenue, type TestVenue, type VenueOptions, type Way } from '#test/support/venue.ts'

/** One thing that the specification says, or one choice where it is silent, and how to see that it holds. */
export type Clause = {
  section: string
  sentence: string
  tell: (venue: TestVenue) => Promise<void>
  options: VenueOptions & Told
}

/** What takes thousands of calls goes over a socket in `npm run slow` alone. */
type Told = { isLong?: true }

export function clause(
  section: string,
  sentence: string,
  tell: (venue: TestVenue) => Promise<void>,
  options: Clause['options'] = {},
): Clause {
  return { section, sentence, tell, options }
}

/** Tells the clause twice, each time in a fresh world: what came over the wire must be the same to the last byte. */
export async function walk(told: Clause): Promise<void> {
  const inProcess = await transcriptOf(told, 'process')
  if (told.options.isLong && !isSlowRun) return
  const overSocket = await transcriptOf(told, 'socket')
  expect(overSocket.exchanged.length, 'a clause makes at least one call').toBeGreaterThan(0)
  expect(inProcess, 'the calls in process are the calls over the socket').toEqual(overSocket)
}

async function transcriptOf({ tell, options }: Clause, way: Way) {
  const venue = await openVenue(way, options)
  try {
    await tell(venue)
    return { exchanged: venue.exchanged, notices: venue.receiver?.heard }
  } catch (error) {
    if (error instanceof Error) error.message = `${way}: ${error.message}`
    throw error
  } finally {
    await venue.close()
  }
}

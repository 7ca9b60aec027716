import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openVenue } from './exchange-fixture.ts'

const planId = '33333333-3333-4333-8333-000000000001'

test('a UUID is accepted in capitals and returned in small letters', () => {
  const venue = openVenue()
  const { id } = venue.ask(contract.fixedInvest, 'paper', { planId, amount: '100' })
  expect(id).toMatch(/^(?=.*[a-f])[0-9a-f-]{36}$/)
  // It is found and closed.
  expect(venue.ask(contract.fixedClose, 'paper', { id: id.toUpperCase() })).toEqual({})
  const { status, body } = venue.send(contract.fixedClose, 'paper', { id: `${id.slice(1)}G` })
  expect([status, body]).toEqual([400, expect.stringContaining('"id"')])
})

import { expect, test } from 'vitest'
import { endpointHelp } from '#src/cli/api/endpoint-help.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { jsonSchema } from '#src/venues/whitebit/contract/json-schema.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openVenue } from '#test/exchange/exchange-fixture.ts'

/** The fields of a row that have a default, and which. */
function usualFields(row: Endpoint): Record<string, unknown> {
  const fields = Object.entries(jsonSchema(row.request).properties ?? {})
  return Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const value = typeof field === 'object' ? field.default : undefined
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const rows = Object.entries<Endpoint>(contract).map(([name, row]) => ({ name, row, usual: usualFields(row) }))

test('what spec.md documents as a default is in the schema, and what it calls an integer is one', () => {
  const documented: [EndpointName, object][] = [
    ['flexInvestments', { limit: 100, offset: 0 }],
    ['collateralBulk', { stopOnFail: false }],
  ]
  for (const [name, usual] of documented) expect(usualFields(contract[name])).toEqual(usual)
  const { properties } = jsonSchema(contract.flexInvestments.request)
  expect(properties).toMatchObject({ investmentStatus: { type: 'integer', enum: [0, 1] } })
  expect(JSON.stringify(jsonSchema(contract.flexInvestments.response))).toContain(
    '"status":{"type":"integer","enum":[0,1]}',
  )
})

test('every limit and offset says what it is unless told otherwise', () => {
  const listing = rows.filter(({ row }) => 'offset' in row.request.shape)
  expect(listing.length).toBeGreaterThan(15)
  for (const { name, usual } of listing) {
    expect(usual, name).toMatchObject({ limit: expect.any(Number), offset: 0 })
  }
})

test('help tells the defaults', () => {
  for (const { name, row, usual } of rows) {
    const lines = endpointHelp(name, row).split('\n')
    for (const [field, value] of Object.entries(usual)) {
      const flag = field === 'stopOnFail' ? 'stop-on-fail' : field
      const said = typeof value === 'string' ? value : JSON.stringify(value)
      expect(lines.find((line) => line.startsWith(`  --${flag} `))).toMatch(new RegExp(`default ${said}$`))
    }
  }
})

test('a call without what has a default is answered as if it had been told', () => {
  const answers = rows
    .filter(({ row, usual }) => row.access !== 'public' && Object.keys(usual).length > 0)
    .map(({ name, row, usual }) => {
      const { example } = row
      const others = Object.entries(example.request).filter(([field]) => !Object.hasOwn(usual, field))
      const asked = Object.fromEntries(others)
      const without = openVenue({ profile: 'full' }).send(row, 'paper', asked)
      const told = openVenue({ profile: 'full' }).send(row, 'paper', { ...asked, ...usual })
      expect(without.status, name).toBeLessThan(300)
      expect(without, name).toEqual(told)
      return without.body
    })
  // Most answers say which page they are.
  expect(answers.filter((body) => body.includes('"limit":')).length).toBeGreaterThan(8)
})

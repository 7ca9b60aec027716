import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openVenue } from '#test/exchange/exchange-fixture.ts'
import { belongings } from '#test/fuzz/answer-check.ts'
import { runs } from '#test/properties/runs.ts'
import { clausesBeyond as clauses } from '#test/venues/whitebit/contract/beyond/clauses.ts'
import { walk } from '#test/venues/whitebit/contract/spec/clause.ts'

for (const told of clauses) test(`${told.section}: ${told.sentence}`, () => walk(told))

test('no two clauses beyond the specification say the same', () => {
  const sentences = clauses.map(({ section, sentence }) => `${section} ${sentence}`)
  expect(new Set(sentences).size).toBe(sentences.length)
})

const isName = (name: string): name is EndpointName => Object.hasOwn(contract, name)
const rows = Object.keys(contract)
  .filter(isName)
  .map((name): [EndpointName, Endpoint] => [name, contract[name]])
  .filter(([, row]) => row.beyond)
const privateRows = rows.filter(([, { access }]) => access !== 'public')

test('every chapter beyond the specification with a private row has clauses', () => {
  const told = new Set(clauses.map(({ section }) => section))
  expect(privateRows.filter(([, { section }]) => !told.has(section))).toEqual([])
})

describe.each(privateRows)('%s', (_, row) => {
  const example = row.example.request

  test('is a path that profile spec does not serve', () => {
    expect(openVenue().send(row, 'paper', example).status).toBe(404)
    expect(openVenue({ profile: 'full' }).send(row, 'paper', example).status).not.toBe(404)
  })

  test('belongs to a chapter beyond the specification', () => {
    expect(row.section).toMatch(/^beyond\.[a-z-]+$/)
  })

  test('asks for its permission, and for a partner where it says so', () => {
    const venue = openVenue({ profile: 'full' })
    expect(venue.send(row, 'reader', example).status === 403).toBe(
      row.permission !== 'read' || row.access === 'partner',
    )
    expect(venue.send(row, 'rival', example).status === 403).toBe(row.access === 'partner')
    expect(venue.send(row, 'paper', example).status).not.toBe(403)
  })

  test('refuses a parameter that it does not know by its name', () => {
    const { errors } = openVenue({ profile: 'full' }).refused(row, 'paper', { ...example, postonly: true })
    expect(errors).toMatchObject({ postonly: ['This field is not known.'] })
  })

  test('answers anything at all with a success of its shape or a refusal that changes nothing', () => {
    const anything = fc.anything({ withNullPrototype: true, maxDepth: 3 })
    const names = fc.constantFrom(...Object.keys(row.request.shape), 'x')
    fc.assert(
      fc.property(fc.dictionary(names, anything), fc.boolean(), (parameters, onTop) => {
        const venue = openVenue({ profile: 'full' })
        const before = belongings(venue.exchange.state)
        const { status, body } = venue.send(row, 'paper', { ...(onTop ? example : {}), ...parameters })
        if (status < 300) expect(row.response.safeParse(JSON.parse(body)).success).toBe(true)
        else {
          expect([400, 422]).toContain(status)
          expect(row.errors).toContain(JSON.parse(body).code)
        }
        if (status >= 300 || row.effect === 'read') expect(belongings(venue.exchange.state)).toBe(before)
      }),
      runs(25, 500),
    )
  })
})

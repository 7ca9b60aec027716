import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { decimalPattern, positivePattern } from '#src/core/money/decimal-text.ts'
import { openApiDocument } from '#src/venues/whitebit/contract/openapi.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { orderNames } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { openVenue } from '#test/exchange/exchange-fixture.ts'
import { depositCanceled } from '#src/venues/whitebit/contract/account/webhooks.ts'

const mediaType = z.object({
  'application/json': z.object({ schema: z.record(z.string(), z.unknown()), example: z.unknown() }),
})
const operation = z.object({
  operationId: z.string(),
  tags: z.tuple([z.string()]),
  security: z.array(z.unknown()),
  requestBody: z.object({ content: mediaType }).optional(),
  responses: z.looseObject({ '200': z.object({ content: mediaType }) }),
  'x-section': z.string(),
  'x-effect': z.enum(['read', 'write']),
})
const shape = z.looseObject({
  tags: z.array(z.object({ name: z.string() })),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(
    z.string(),
    z.union([z.strictObject({ get: operation }), z.strictObject({ post: operation })]),
  ),
})

const document = openApiDocument(contract, 'spec')
const camel = openApiDocument(contract, 'camel')
const { paths, tags, servers } = shape.parse(document)
const operations = new Map(
  Object.entries(paths).map(([path, item]) => [path, 'get' in item ? item.get : item.post]),
)

test('the document is valid OpenAPI 3.1 in both spellings', async () => {
  for (const each of [document, camel]) {
    const checked = await new Validator().validate(JSON.parse(JSON.stringify(each)))
    expect(checked.errors).toBeUndefined()
    expect(checked.valid).toBe(true)
  }
})

test('each spelling has its names alone, in schemas and in examples', () => {
  const [spec, other] = [document, camel].map((each) => JSON.stringify(each))
  for (const [name, alternative] of Object.entries(orderNames)) {
    expect(spec).not.toContain(`"${alternative}"`)
    // Not in descriptions either.
    expect(other).not.toMatch(new RegExp(`\\b${name}\\b`))
    expect(other).toContain(`"${alternative}"`)
  }
})

test('every list has a schema for its elements', () => {
  const lists: unknown[] = []
  JSON.stringify(document, (_key, value: unknown) => {
    const isList = typeof value === 'object' && value !== null && Reflect.get(value, 'type') === 'array'
    if (isList) lists.push(Reflect.get(value, 'items'))
    return value
  })
  expect(lists.length).toBeGreaterThan(50)
  expect(lists.filter((items) => typeof items !== 'object')).toEqual([])
})

test('every row is there under its path, method and section, and nothing else is', () => {
  expect([...operations.keys()].sort()).toEqual(
    Object.values(contract)
      .map((row) => row.path)
      .sort(),
  )
  for (const [name, row] of Object.entries(contract)) {
    expect(operations.get(row.path)).toMatchObject({
      operationId: name,
      'x-section': row.section,
      'x-effect': row.effect,
    })
    expect(paths[row.path]).toHaveProperty(row.access === 'public' ? 'get' : 'post')
  }
})

test('all eighteen private sections of the specification and the ping are described', () => {
  const sections = [...operations.values()].map((each) => each['x-section'])
  expect(sections).toEqual(
    expect.arrayContaining(['1', ...Array.from({ length: 18 }, (_, index) => `4.${index + 1}`)]),
  )
})

test('a private body demands the path and the nonce, and its example fits the schema', () => {
  for (const [path, { requestBody, security }] of operations) {
    if (requestBody === undefined) {
      expect(security).toEqual([])
      continue
    }
    const { schema, example } = requestBody.content['application/json']
    expect(security).toEqual([{ apiKey: [], payload: [], signature: [] }])
    expect(schema).toMatchObject({
      properties: { request: { const: path }, nonce: { type: 'string' } },
      required: expect.arrayContaining(['request', 'nonce']),
    })
    expect(z.fromJSONSchema(schema).safeParse(example), path).toMatchObject({ success: true })
    expect(
      z.fromJSONSchema(schema).safeParse({ ...z.looseObject({}).parse(example), nonce: 5 }).success,
    ).toBe(false)
  }
})

test('the example of every answer fits the schema of the answer', () => {
  for (const [path, { responses }] of operations) {
    const { schema, example } = responses['200'].content['application/json']
    expect(z.fromJSONSchema(schema).safeParse(example), path).toMatchObject({ success: true })
  }
})

const fields = z.looseObject({
  properties: z.record(z.string(), z.looseObject({ pattern: z.string().optional() })),
})

test('amounts and prices are text above zero, and the exchange refuses 0', () => {
  const refused: string[] = []
  for (const [name, row] of Object.entries<Endpoint>(contract)) {
    if (row.access === 'public') continue
    const schema = operations.get(row.path)!.requestBody!.content['application/json'].schema
    for (const [field, { pattern, type }] of Object.entries(fields.parse(schema).properties)) {
      if (pattern !== positivePattern.source) continue
      expect(type).toBe('string')
      const venue = openVenue({ profile: 'full' })
      const { status, body } = venue.send(row, 'paper', { ...row.example.request, [field]: '0' })
      expect([status, body], `${name} ${field}`).not.toEqual([200, body])
      refused.push(field)
    }
  }
  expect(new Set(refused)).toEqual(
    new Set(['amount', 'price', 'activation_price', 'stop_limit_price', 'total', 'takeProfit', 'stopLoss']),
  )
})

test('an amount that the bot sends is above zero, and 0 in any form is not', () => {
  fc.assert(
    fc.property(fc.stringMatching(decimalPattern), (text) => {
      expect(positivePattern.test(text)).toBe(/[1-9]/.test(text))
    }),
  )
})

test('numbers say how many digits they need', () => {
  const { properties } = fields.parse(
    operations.get(contract.openOrders.path)!.requestBody!.content['application/json'].schema,
  )
  expect(properties['order_id']).toMatchObject({ type: 'integer', format: 'int64' })
  expect(JSON.stringify(document)).not.toMatch(/"type":"number"(?!,"format":"double"|[^}]*"format":"double")/)
})

test('the key is a header, both regions are servers, and the webhook has a place of its own', () => {
  expect(document).toMatchObject({
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-TXC-APIKEY' } } },
    webhooks: { 'deposit.canceled': { post: { 'x-section': '6' } } },
  })
  expect(servers.map((server) => server.url)).toEqual(['{base_url}', '{eu_base_url}'])
})

test('every operation carries a tag that the document explains', () => {
  const known = tags.map((tag) => tag.name)
  for (const { tags: own } of operations.values()) expect(known).toContain(own[0])
})

test('a notice of a canceled deposit without the id of the deposit is none', () => {
  const notice = {
    method: 'deposit.canceled',
    params: {
      address: 'TQ5NMqJjhpQGqXSxVJ7m3gk7GNJk2XYJ7W',
      amount: '250',
      createdAt: 1_790_000_000,
      currency: 'Tether US',
      description: '',
      fee: '0',
      memo: '',
      method: 1,
      network: 'TRC20',
      status: 4,
      ticker: 'USDT',
      transactionHash: 'a1',
      uniqueId: '11111111-1111-4111-8111-000000000001',
      confirmations: { actual: 1, required: 20 },
      nonce: 7,
    },
    id: '5f1b3c7e-3a52-4a7b-8f0d-2c9e6b7a1d42',
  }
  expect(depositCanceled.safeParse(notice).success).toBe(true)
  expect(depositCanceled.safeParse({ ...notice, params: { ...notice.params, uniqueId: null } }).success).toBe(
    false,
  )
})

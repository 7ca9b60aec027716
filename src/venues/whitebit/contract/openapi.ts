import type { Endpoint } from './endpoint.ts'
import { jsonSchema, respelledSchema } from './json-schema.ts'
import { privateError, publicError, wordings } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { keyHeader, payloadHeader, signatureHeader } from '#src/venues/whitebit/contract/wire/signing.ts'
import { depositCanceled } from '#src/venues/whitebit/contract/account/webhooks.ts'
import { noNames, respell, respellText, type Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { isRecord } from '#src/core/objects/objects.ts'

type Json = Record<string, unknown>

/** The families of paths, in the words of spec §1. */
const tags = {
  public: 'Public endpoints',
  'main-account': 'Main account: balance, deposits, transfer codes, investments',
  'trade-account': 'Spot trading account: balance and executed orders',
  order: 'Orders of the spot and the collateral account',
  orders: 'Open orders',
  'conditional-orders': 'Conditional orders',
  'oco-orders': 'Pairs of orders (one cancels the other)',
  'collateral-account': 'Collateral account: balance, margin, positions, settings',
  mining: 'Mining pool: payouts and hashrate',
  'sub-account': 'Sub-accounts',
  profile: 'Access to the streams',
  market: 'Fees',
} as const

/** The OpenAPI 3.1 document of a contract in a spelling: every fact in it comes from a row. */
export function openApiDocument(rows: Readonly<Record<string, Endpoint>>, spelling: Spelling): Json {
  const entries = Object.entries(rows).map(([name, row]) => [name, inSpelling(row, spelling)] as const)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Private Account, Investment, Mining and Trading HTTP API (V4)',
      version: '4.0.0',
      description:
        'Generated from the contract of Rungs. Every private call is a POST whose body carries `request` and ' +
        '`nonce`; its base64 travels as X-TXC-PAYLOAD, the HMAC-SHA512 of that text as X-TXC-SIGNATURE in hex.',
    },
    servers: [
      server('base_url', 'http://127.0.0.1:8787', 'The main address'),
      server('eu_base_url', 'http://127.0.0.1:8788', 'The second region: the same paths'),
    ],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      entries.map(([name, row]) => [
        row.path,
        { [row.access === 'public' ? 'get' : 'post']: operation(name, row) },
      ]),
    ),
    webhooks: { [depositCanceled.shape.method.value]: { post: depositCanceledOperation() } },
    components: {
      // No parameters: generated clients would ask for them with each call, before the body is known.
      securitySchemes: {
        apiKey: signedHeader(keyHeader, 'Key of the account'),
        payload: signedHeader(payloadHeader, 'Base64 of the exact bytes of the body'),
        signature: signedHeader(signatureHeader, 'HMAC-SHA512 of the payload header, in lower-case hex'),
      },
      schemas: { PrivateError: jsonSchema(privateError), PublicError: jsonSchema(publicError) },
    },
  }
}

/** A row with its bodies as JSON Schema. */
type Described = Omit<Endpoint, 'request' | 'response'> & { request: Json; response: Json }

function inSpelling({ request, response, example, ...row }: Endpoint, spelling: Spelling): Described {
  const names = (spelling === 'camel' && row.camel) || { request: noNames, response: noNames }
  return {
    ...row,
    summary: respellText(row.summary, names.request),
    request: respelledSchema(jsonSchema(request), names.request),
    response: respelledSchema(jsonSchema(response), names.response),
    example: {
      request: Object(respell(example.request, names.request)),
      response: respell(example.response, names.response),
    },
  }
}

function operation(name: string, row: Described): Json {
  const isPublic = row.access === 'public'
  const { response } = row
  const answer = {
    description: row.summary,
    content: json(
      row.wording === 'wrapped' ? { anyOf: [response, jsonSchema(wordings.wrapped)] } : response,
      row.example.response,
    ),
  }
  return {
    operationId: name,
    summary: row.summary,
    description: describe(row),
    tags: [row.path.split('/')[3] ?? ''],
    security: isPublic ? [] : signed,
    ...(isPublic
      ? { parameters: publicParameters(row) }
      : { requestBody: { required: true, content: requestContent(row) } }),
    responses: {
      '200': answer,
      // The public venues of this family answer 201 to what creates something; spec.md shows 200 only.
      ...(row.created === true ? { '201': answer } : {}),
      ...(isPublic
        ? {}
        : { [row.invalid.status]: refusal(`Code ${row.invalid.code}: a parameter is invalid`) }),
      ...(row.wording === 'flat'
        ? { '422': { description: 'A parameter is invalid', content: json(jsonSchema(wordings.flat)) } }
        : {}),
      default: isPublic
        ? { description: 'Refused', content: json({ $ref: '#/components/schemas/PublicError' }) }
        : refusal('Refused for another reason'),
    },
    'x-section': row.section,
    'x-effect': row.effect,
    ...(isPublic ? {} : { 'x-permission': row.permission, 'x-codes': row.errors }),
    'x-rate-limit': { calls: row.limit.calls, seconds: row.limit.perMs / 1000 },
    ...(row.beyond === true ? { 'x-beyond-the-specification': true } : {}),
  }
}

function describe(row: Described): string {
  const access = row.access === 'partner' ? ' For business partners with access only.' : ''
  const effect = row.effect === 'write' ? ' Changes data: check the outcome before you send it again.' : ''
  const place = row.beyond ? 'Beyond the specification.' : `Section ${row.section} of the specification.`
  return `${place}${access}${effect}`
}

/** The body on the wire: the row's own fields and the envelope of every private call. */
function requestContent(row: Described): Json {
  const { properties, required, ...schema } = row.request
  const example = { ...row.example.request, request: row.path, nonce: '1790000000000' }
  return json(
    {
      ...schema,
      properties: {
        ...(isRecord(properties) ? properties : {}),
        request: { type: 'string', const: row.path, description: 'The path of the call' },
        nonce: {
          type: 'string',
          pattern: '^[1-9][0-9]{0,18}$',
          description: 'Greater than every nonce before it, such as Unix milliseconds',
        },
        nonceWindow: {
          type: 'boolean',
          description: 'The nonce is the time in Unix milliseconds and new; it need not be the greatest',
        },
      },
      required: [...(Array.isArray(required) ? required : []), 'request', 'nonce'],
    },
    example,
  )
}

function publicParameters(row: Described): Json[] {
  const { properties, required } = row.request
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    in: row.path.endsWith(`/{${name}}`) ? 'path' : 'query',
    required: Array.isArray(required) && required.includes(name),
    schema,
  }))
}

function depositCanceledOperation(): Json {
  return {
    operationId: 'depositCanceled',
    summary: 'A deposit was canceled; uniqueId is the transaction_id of the refund call',
    security: signed,
    requestBody: { required: true, content: json(jsonSchema(depositCanceled)) },
    responses: { '200': { description: 'Accepted; with any other status the webhook is sent again' } },
    'x-section': '6',
  }
}

const signed = [{ apiKey: [], payload: [], signature: [] }]

function refusal(description: string): Json {
  return { description, content: json({ $ref: '#/components/schemas/PrivateError' }) }
}

function json(schema: Json, example?: unknown): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}

function server(variable: string, address: string, description: string): Json {
  return { url: `{${variable}}`, description, variables: { [variable]: { default: address } } }
}

function signedHeader(name: string, description: string): Json {
  // As spec §5 writes it; on the wire the case does not matter.
  return { type: 'apiKey', in: 'header', name: name.toUpperCase(), description }
}

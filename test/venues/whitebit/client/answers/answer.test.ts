import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAnswer } from '#src/venues/whitebit/client/answers/answer.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { gateCodes, gateRefusals } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { orderNames, respell } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { runs } from '#test/properties/runs.ts'
import { json } from '#test/venues/whitebit/client/scripted-venue.ts'
import { empty } from '#test/support/empty.ts'

const rows: Endpoint[] = Object.values(contract)
const twiceSpelled: Endpoint[] = [contract.collateralBulk, contract.orderHistory]
const privateRows = rows.filter((row) => row.access !== 'public')
const aRow = fc.constantFrom(...rows)
const refusalBody = { code: 0, message: 'Validation failed', errors: { ticker: ['No.'] } }
const { tradingBalance, collateralBulk, orderHistory, ping } = contract

describe('any answer', () => {
  const body = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.constantFrom('', 'null', '[]', '{}', '<html>', '{"code":0}', JSON.stringify(refusalBody)),
    aRow.map((row) => JSON.stringify(row.example.response)),
  )
  const headers = fc.dictionary(fc.string(), fc.string())

  test('means exactly one thing, and never throws', () => {
    fc.assert(
      fc.property(aRow, fc.integer({ min: 0, max: 999 }), headers, body, (row, status, headers, body) => {
        const verdict = readAnswer(row, { status, headers, body })
        expect(['answer', 'refused', 'unclear']).toContain(verdict.kind)
        const success = status >= 200 && status < 300
        if (verdict.kind === 'answer') {
          expect(success).toBe(true)
          // Elsewhere what does not fit is left out of the answer: partial-answer.test.ts.
          if (row.reads === undefined) expect(row.response.safeParse(verdict.value).success).toBe(true)
        }
        if (verdict.kind === 'refused') {
          expect(success || (status >= 400 && status < 500)).toBe(true)
          if (verdict.code !== null) expect([...row.errors, ...gateCodes]).toContain(verdict.code)
        }
      }),
      runs(2000, 60_000, 667),
    )
  })

  test('with a status of the 5xx or 3xx proves nothing, whatever it says', () => {
    for (const row of rows) {
      for (const status of [301, 307, 500, 502, 503, 599]) {
        expect(readAnswer(row, json(status, row.example.response)).kind).toBe('unclear')
        expect(readAnswer(row, json(status, refusalBody)).kind).toBe('unclear')
      }
    }
  })

  test('without a word, and with status 404, is the no of a venue to a read that it does not know', () => {
    for (const row of rows) {
      const verdict = readAnswer(row, { status: 404, headers: {}, body: '' })
      expect(verdict.kind).toBe(row.effect === 'read' ? 'refused' : 'unclear')
      expect(readAnswer(row, { status: 404, headers: {}, body: '<html>' }).kind).toBe('unclear')
    }
  })

  test('cut off anywhere proves nothing', () => {
    const whole = JSON.stringify(collateralBulk.example.response)
    for (let length = 0; length < whole.length; length++) {
      const verdict = readAnswer(collateralBulk, { status: 200, headers: {}, body: whole.slice(0, length) })
      expect(verdict.kind).toBe('unclear')
    }
  })
})

describe('an error object', () => {
  test('is a refusal with every status of the 4xx, and with 200', () => {
    for (const row of privateRows) {
      for (const status of [200, 400, 401, 403, 404, 422, 429]) {
        expect(readAnswer(row, json(status, refusalBody))).toMatchObject({
          kind: 'refused',
          status,
          code: 0,
          message: 'Validation failed',
          errors: { ticker: ['No.'] },
        })
      }
    }
  })

  test('is never mistaken for an answer', () => {
    for (const row of rows) expect(row.response.safeParse(refusalBody).success).toBe(false)
  })

  test('may lack errors, or have an empty list of them', () => {
    for (const errors of [undefined, [], {}]) {
      const verdict = readAnswer(
        tradingBalance,
        json(422, { code: 30, message: 'Validation failed', errors }),
      )
      expect(verdict).toMatchObject({ kind: 'refused', errors: empty })
    }
  })

  test('proves nothing without code or message, or with a code that the call is not known to send', () => {
    for (const body of [
      { code: 0 },
      { message: 'no' },
      { code: '0', message: 'no' },
      { code: 777, message: 'no' },
    ]) {
      expect(readAnswer(collateralBulk, json(422, body))).toEqual({
        kind: 'unclear',
        reason: expect.stringMatching(
          /status 422 does not have the format of this call|code 777, which is unknown/,
        ),
      })
    }
  })

  test.each([
    ['flat', 422, { market: ['No.', 'Never.'], limit: 'Too many.' }],
    [
      'wrapped',
      200,
      { success: false, message: { market: ['No.', 'Never.'], limit: 'Too many.' }, result: null },
    ],
  ])('of a public endpoint in the %s wording names each parameter', (wording, status, body) => {
    const worded = rows.filter((row) => row.wording === wording)
    expect(worded.length).toBeGreaterThan(0)
    for (const row of worded)
      expect(readAnswer(row, json(status, body))).toEqual({
        kind: 'refused',
        status,
        code: null,
        message: 'Validation failed',
        errors: { market: ['No.', 'Never.'], limit: ['Too many.'] },
      })
  })

  test('of a public endpoint has no code', () => {
    const body = { success: false, message: 'Under repair.', params: [] }
    expect(readAnswer(ping, json(400, body))).toMatchObject({ kind: 'refused', code: null })
    expect(readAnswer(tradingBalance, json(400, body)).kind).toBe('unclear')
  })
})

describe('429', () => {
  test('is about the nonce or about the rate, told apart by its message', () => {
    const { nonceUsed, rateLimited } = gateRefusals
    for (const [refusal, throttle] of [
      [nonceUsed, 'nonce'],
      [gateRefusals.nonceOutside, 'nonce'],
      [{ ...nonceUsed, message: 'Your nonce is more than 5 seconds lesser than the current nonce' }, 'nonce'],
      [rateLimited, 'rate'],
    ] as const) {
      const { code, message, errors } = refusal
      for (const status of [429, 400]) {
        expect(readAnswer(collateralBulk, json(status, { code, message, errors }))).toMatchObject({
          kind: 'refused',
          throttle,
        })
      }
    }
  })

  test('that says when to come again is about the rate, whatever its words are', () => {
    const response = { ...json(429, gateRefusals.nonceUsed), headers: { 'retry-after': '1' } }
    expect(readAnswer(tradingBalance, response)).toMatchObject({ kind: 'refused', throttle: 'rate' })
  })

  test('with any other object comes from the venue, which has not acted', () => {
    expect(readAnswer(tradingBalance, json(429, { slow: 'down' }))).toEqual({
      kind: 'refused',
      status: 429,
      code: null,
      message: 'Too many requests',
      errors: {},
      throttle: 'rate',
    })
  })

  test('of a public endpoint is never about a nonce', () => {
    const body = { success: false, message: 'Too many requests.', params: [] }
    expect(readAnswer(ping, json(429, body))).toMatchObject({ kind: 'refused', throttle: 'rate' })
  })

  test('from a gateway proves nothing, but slows us down', () => {
    const response = { status: 429, headers: {}, body: '<html>429 Too Many Requests</html>' }
    expect(readAnswer(collateralBulk, response)).toMatchObject({ kind: 'unclear', throttle: 'rate' })
  })
})

describe('spelling', () => {
  test('an answer in either spelling reads the same', () => {
    for (const row of twiceSpelled) {
      const spec = readAnswer(row, json(200, row.example.response))
      const camel = readAnswer(row, json(200, respell(row.example.response, orderNames)))
      expect(spec.kind).toBe('answer')
      expect(camel).toEqual(spec)
    }
  })

  test('a refusal in either spelling reads the same, in its keys and in its texts', () => {
    const [spec, camel] = [
      ['client_order_id', 'orders.0.order_id'],
      ['clientOrderId', 'orders.0.orderId'],
    ].map((names) => {
      const errors = Object.fromEntries(names.map((name) => [name, [`The ${name} is wrong.`]]))
      return readAnswer(contract.cancelOrders, json(422, { code: 30, message: 'Validation failed', errors }))
    })
    expect(spec).toMatchObject({
      kind: 'refused',
      errors: { client_order_id: ['The client_order_id is wrong.'] },
    })
    expect(camel).toEqual(spec)
  })

  test('an id that would be rounded makes the answer unclear, and says so', () => {
    const text = JSON.stringify(collateralBulk.example.response)
    for (const id of ['9007199254740993', '9007199254740992', '-9007199254740993', '90071992547409931234']) {
      const body = text.replace('1000000000001', id)
      expect(readAnswer(collateralBulk, { status: 200, headers: {}, body })).toEqual({
        kind: 'unclear',
        reason: 'The answer holds an integer that is too large to read exactly',
      })
    }
    const exact = text.replace('1000000000001', '9007199254740991').replace('dip.low', '9007199254740993')
    expect(readAnswer(collateralBulk, { status: 200, headers: {}, body: exact }).kind).toBe('answer')
  })
})

test('an unknown field of an answer is dropped, not refused', () => {
  const [known] = contract.orderHistory.example.response.BTC_PERP
  const plain = readAnswer(orderHistory, json(200, orderHistory.example.response))
  expect(readAnswer(orderHistory, json(200, { BTC_PERP: [{ ...known, fresh: 1 }] }))).toEqual(plain)
})

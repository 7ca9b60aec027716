import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { inverted, noNames, respell } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { readAnswer } from '#src/venues/whitebit/client/answers/answer.ts'

/**
 * The client reads each example that the documents of the venue publish, and sends each request. README.md names the
 * sources. Two documents are compared: the present one, and the one before it, which calls itself the same version.
 */
const rows = new Map<string, Endpoint>(Object.values(contract).map((row) => [row.path, row]))

const example = z.strictObject({
  path: z.string(),
  page: z.string(),
  status: z.int().optional(),
  request: z.record(z.string(), z.unknown()).optional(),
  answer: z.unknown().optional(),
  refusal: z.unknown().optional(),
})

function examplesOf(file: string) {
  const lines = readFileSync(new URL(`${file}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line, index) => {
    const found = example.parse(JSON.parse(line))
    const row = rows.get(found.path)
    if (row === undefined)
      throw new Error(`${found.path} (${file}, line ${index + 1}) is not in the contract`)
    return Object.assign(found, { title: `${file} ${index + 1}: ${found.path}`, row })
  })
}

const read = (row: Endpoint, status: number, body: unknown) =>
  readAnswer(row, { status, headers: {}, body: JSON.stringify(body) }, { ticker: 'BTC' })

/** Answers that the present documents correct, or that contradict their own text. */
const answerErrors: Record<string, string> = {
  'earlier-answers 41: /api/v4/public/collateral/markets':
    'the list has no envelope; the present documents have it',
}

const answers = ['answers', 'earlier-answers'].flatMap(examplesOf)

test.each(answers)('$title', ({ title, row, answer }) => {
  const { kind, ...rest } = read(row, 200, answer)
  if (title in answerErrors) return expect(kind).toBe('unclear')
  expect({ kind, ...rest }).toMatchObject({ kind: 'answer' })
  expect(rest).not.toHaveProperty('unread')
})

/** Of a bulk, the documents list the refusals of its orders. */
const isOfOrder = ({ path }: Endpoint) => path.endsWith('/bulk')

const refusalErrors: Record<string, string> = {
  'earlier-refusals 197: /api/v4/sub-account/balances': 'the status of HTTP in the place of a code',
}

const refusals = ['refusals', 'earlier-refusals'].flatMap(examplesOf)

test.each(refusals)('$title, refused', ({ title, row, status = 422, refusal }) => {
  const verdict = read(row, status, refusal)
  if (title in refusalErrors) expect(verdict.kind).toBe('unclear')
  else if (verdict.kind === 'unclear' && isOfOrder(row))
    expect(read(row, 200, [{ result: null, error: refusal }])).toMatchObject({
      kind: 'answer',
      value: [{ error: refusal }],
    })
  else expect(verdict).toMatchObject({ kind: 'refused', status })
})

const passphrase = 'a passphrase with a blank, against the rule of the specification'
const requestErrors: Record<string, string> = {
  'requests 6: /api/v4/order/collateral/stop-limit':
    'exits of a conditional order (OTO): the client does not send them',
  'requests 21: /api/v4/order/bulk': 'flag `retail`, for the venue’s own retail orders',
  'requests 29: /api/v4/main-account/codes': passphrase,
  'requests 30: /api/v4/main-account/codes/apply': passphrase,
}

const requests = examplesOf('requests')

test.each(requests)('$title, sent', ({ title, row, request = {} }) => {
  const spelled = respell(request, inverted(row.camel?.request ?? noNames))
  expect(row.request.safeParse(spelled).success).toBe(!(title in requestErrors))
})

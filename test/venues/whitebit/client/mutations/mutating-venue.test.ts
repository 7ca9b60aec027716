import { afterAll, expect, test } from 'vitest'
import { methodOf, type Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { writePublicCall } from '#src/venues/whitebit/contract/wire/public-call.ts'
import { readAnswer } from '#src/venues/whitebit/client/answers/answer.ts'
import { unreadText } from '#src/venues/whitebit/client/answers/partial-answer.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { openVenue, type TestVenue } from '#test/support/venue.ts'
import { at, mutationsOf, placesOf, type AnswerChange, type Path } from './mutations.ts'

/**
 * A venue whose answers differ from the documents at one place: the client reads what it needs, or names the place that it
 * cannot read. It never leaves out silently what the venue has sent.
 */
const venue = await openVenue('process', { profile: 'full' })
afterAll(() => venue.close())

const order = (id: string, side: 'buy' | 'sell', price: string) =>
  ({ market: 'BTC_PERP', side, amount: '0.02', price, client_order_id: id }) as const

/** Two accounts trade, so that each list of the account has at least one element. */
async function trade({ paper, rival }: TestVenue): Promise<void> {
  await rival.collateralLimit(order('ask', 'sell', '60000'))
  await paper.collateralLimit(order('taker', 'buy', '60000'))
  await paper.collateralBulk({ orders: [order('low.1', 'buy', '50000'), order('low.2', 'buy', '49000')] })
  await paper.collateralLimit(order('gone', 'buy', '48000'))
  await paper.cancelOrder({ market: 'BTC_PERP', client_order_id: 'gone' })
  await paper.collateralOco({
    ...order('pair', 'sell', '70000'),
    activation_price: '45000',
    stop_limit_price: '44900',
  })
  await paper.killSwitch({ market: 'BTC_PERP', timeout: '600' })
}
await trade(venue)

/** The answer of the exchange, or the example of the row where the exchange has nothing to tell. */
async function answerOf(row: Endpoint): Promise<unknown> {
  const name = keysOf(contract).find((each) => contract[each] === row)!
  const { request } = row.example
  const { status, body } =
    methodOf(row) === 'GET'
      ? await venue.send({ method: 'GET', ...writePublicCall(row, request) })
      : await venue.signed(name, request)
  const answer: unknown = status < 300 ? JSON.parse(body) : undefined
  return answer === undefined || placesOf(answer).length < placesOf(row.example.response).length
    ? row.example.response
    : answer
}

type Verdict = 'understood' | 'reported' | { silent: string }

function verdictOf(row: Endpoint, original: unknown, { path, value }: AnswerChange): Verdict {
  const body = JSON.stringify(value)
  const answer = readAnswer(row, { status: 200, headers: {}, body }, row.example.request)
  if (answer.kind === 'unclear')
    return namesPlace(answer.reason, path) ? 'reported' : { silent: `reason: ${answer.reason}` }
  if (answer.kind === 'refused') return { silent: `taken for a refusal: ${answer.message}` }
  if (answer.unread !== undefined) {
    const texts = answer.unread.map((each) => unreadText(row.path, each))
    return texts.every((text) => namesPlace(text, path)) ? 'reported' : { silent: texts.join('; ') }
  }
  const before = readAnswer(
    row,
    { status: 200, headers: {}, body: JSON.stringify(original) },
    row.example.request,
  )
  if (before.kind !== 'answer') return { silent: `the original is ${before.kind}` }
  return lost(row, before.value, answer.value, path)
}

/** Whether a report names the place, a field in it, or the object or list around it; of a whole answer, the answer. */
function namesPlace(text: string, path: Path): boolean {
  const place = /(?:cannot read|call:) (\S+?)(?: is |: )/.exec(text)?.[1]
  if (place === undefined) return false
  if (path.length === 0 || place === 'it') return path.length < 2
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : step))
  const named = place.split(/\.|(?=\[)/)
  return named.length >= steps.length - 1 && named.every((step, index) => (steps[index] ?? step) === step)
}

/** Whether a needed value that the original had is missing, though the venue did not say that. */
function lost(row: Endpoint, before: unknown, after: unknown, changed: Path): Verdict {
  for (const path of placesOf(before)) {
    const name = path.at(-1)
    const isInside = changed.every((step, index) => path[index] === step)
    const isAround = path.every((step, index) => changed[index] === step)
    const isNeeded = row.reads === undefined || (typeof name === 'string' && row.reads.includes(name))
    if (isInside || isAround || !isNeeded) continue
    if (at(after, path) === undefined && !isShifted(path, changed))
      return { silent: `${path.join('.')} is lost` }
  }
  return 'understood'
}

/** Behind an element that the venue left out, the elements have other numbers. */
function isShifted(path: Path, changed: Path): boolean {
  const depth = changed.findIndex((step, index) => path[index] !== step)
  return typeof changed[depth] === 'number' && typeof path[depth] === 'number'
}

const rows: Endpoint[] = Object.values(contract)
const counts = { understood: 0, reported: 0 }

test.each(rows.map((row) => [row.path, row] as const))('%s', async (_path, row) => {
  const original = row.effect === 'read' ? await answerOf(row) : row.example.response
  const mutations = mutationsOf(original, row.camel?.response)
  const silent: string[] = []
  for (const mutation of mutations) {
    const verdict = verdictOf(row, original, mutation)
    if (typeof verdict === 'string') counts[verdict] += 1
    else silent.push(`${mutation.kind} at ${mutation.path.join('.')}: ${verdict.silent}`)
  }
  expect(silent).toEqual([])
})

test('the numbers of changes that were understood and reported', () => {
  process.stdout.write(`${counts.understood} changes understood, ${counts.reported} reported\n`)
  expect(counts.understood).toBeGreaterThan(500)
  expect(counts.reported).toBeGreaterThan(500)
})

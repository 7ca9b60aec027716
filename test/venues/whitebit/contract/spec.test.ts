import { afterAll, expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { assumptions } from '#src/venues/whitebit/contract/assumptions/assumptions.ts'
import { switches } from '#src/venues/whitebit/contract/assumptions/switches.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { clausesBeyond } from '#test/venues/whitebit/contract/beyond/clauses.ts'
import { walk } from '#test/venues/whitebit/contract/spec/clause.ts'
import { clauses } from '#test/venues/whitebit/contract/spec/clauses.ts'
import { resources } from '#test/venues/whitebit/contract/spec/resources/resources.ts'
import { pingPath, privateNames, rows } from '#test/venues/whitebit/contract/spec/rows.ts'
import { openQuestions, silences } from '#test/venues/whitebit/contract/spec/undecided.ts'

const choices: Record<string, { section: string; choice: string; switch?: string }> = assumptions
const items = (section: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${section}.${index + 1}`)

for (const { name, told } of clauses) test(name, () => walk(told))

test('the contract has the ping and eighteen endpoints, at the paths and in the order of §4', () => {
  const inTable = Object.entries<Endpoint>(contract)
    .filter(([, { beyond }]) => !beyond)
    .map(([name, { section, path }]) => [section, path, name])
  expect(inTable).toEqual([['1', pingPath, 'ping'], ...rows])
})

test('the client has a method for every row, and no other call', async () => {
  const client = createClient({ transport: httpTransport('http://127.0.0.1:1') })
  expect(Object.keys(client)).toEqual([...Object.keys(contract), 'call', 'lanes', 'close'])
  await client.close()
})

test('every section of the specification has clauses', () => {
  const sections = [
    '1',
    ...items('1', 6),
    '2',
    '3',
    '4',
    ...items('4', 18),
    ...items('5', 8),
    '6',
    '7',
    '8',
    '9',
  ]
  expect([...new Set(clauses.map(({ told }) => told.section))]).toEqual(sections)
})

test('no two clauses say the same', () => {
  const sentences = clauses.map(({ told }) => `${told.section} ${told.sentence}`)
  expect(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index)).toEqual([])
})

test('every silence of the specification has a choice that names its paragraph', () => {
  expect(silences).toHaveLength(24)
  for (const [section, open, name] of [...silences, ...openQuestions]) {
    expect(choices[name]?.section.split(', '), `${section}: ${open}`).toContain(section)
    expect(choices[name]?.choice.length).toBeGreaterThan(10)
  }
})

test('every choice belongs to a silence, or to what the specification does not have', () => {
  const needed = new Set<string>([...silences, ...openQuestions].map(([, , name]) => name))
  const others = Object.entries(choices).filter(([name]) => !needed.has(name))
  const beyond = new Set(Object.values<Endpoint>(contract).map(({ section }) => section)).add('beyond')
  expect(others.filter(([, { section }]) => !section.startsWith('beyond') || !beyond.has(section))).toEqual(
    [],
  )
})

test('every switch belongs to a choice, and every choice that has one is turned by a clause', () => {
  const named = Object.values(choices).flatMap((choice) => choice.switch ?? [])
  expect(new Set(named)).toEqual(new Set(Object.keys(switches.shape)))
  expect(named).toHaveLength(new Set(named).size)
})

const turns = {
  stopOnFailAnswer: ['included', 'absent', 'full'],
  clientIds: ['live'],
  batchMax: ['10', 'none'],
  tooManyRequests: ['html'],
  historyLag: ['30s'],
  postOnlyCross: ['canceled'],
  shortSide: ['refused'],
  nonce: ['strict'],
  executionDelay: ['2s'],
  restingStatus: ['NEW', 'ACTIVE'],
  collateralFreeze: ['hidden'],
  refusalStatus: ['200', '400', '422'],
  rateLimits: ['off'],
  priceBand: ['10', 'none'],
  unknownParameters: ['refuse', 'ignore'],
  blanksInBody: ['refuse'],
  historySpan: ['31d'],
  takerBand: ['1'],
} as const satisfies Record<keyof typeof switches.shape, readonly string[]>

test('every way in which a world may differ is told by a clause', () => {
  const told = [...clauses.map(({ told }) => told), ...clausesBeyond].flatMap(({ options }) =>
    Object.entries(Object(options.world?.['switches'])).map(([name, value]) => `${name}: ${String(value)}`),
  )
  const wanted = Object.entries(turns).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`))
  expect([...new Set(told)].toSorted()).toEqual(wanted.toSorted())
})

for (const name of ['ping', ...privateNames] as const) {
  test(`the example of ${name} fits its row and the specification`, () => {
    const { request, response, example }: Endpoint = contract[name]
    expect(request.safeEncode(example.request)).toEqual({ success: true, data: example.request })
    expect(request.safeDecode(example.request)).toEqual({ success: true, data: example.request })
    expect(response.safeDecode(example.response)).toEqual({ success: true, data: example.response })
    expect(resources[name].parse(example.response)).toEqual(example.response)
  })
}

// oxlint-disable-next-line eslint/no-empty-pattern -- vitest reads from the pattern what the hook wants to have
afterAll(({}, { tasks }) => {
  process.stdout.write(
    `spec.md: ${clauses.length} clauses, each in process, and with identical bytes over a socket; ${tasks.length} tests\n`,
  )
})

import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTape } from '#src/research/recording/read-tape.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { runs } from '#test/properties/runs.ts'

const text = fc.oneof(
  fc.string(),
  fc.constantFrom('GET', 'POST', 'send', 'receive', '2026-11-21T14:00:00Z', '0000-01-01T00:00:00Z'),
)
const url = fc.constantFrom(
  'http://venue.example/api/v4/public/ping',
  'ws://venue.example/ws',
  'data:,',
  'x',
  'http://a/ws?b',
)
const odd = fc.oneof(
  text,
  url,
  fc.jsonValue(),
  fc.double(),
  fc.constant('['.repeat(50_000) + ']'.repeat(50_000)),
)
const oddEntry = fc.record(
  {
    startedDateTime: fc.constantFrom('2026-11-21T14:00:00Z', '0000-01-01T00:00:00Z', 'x'),
    time: fc.oneof(fc.double(), odd),
    request: fc.record(
      { method: text, url, postData: fc.record({ text: odd }) },
      { requiredKeys: ['method', 'url'] },
    ),
    response: fc.record({ status: fc.oneof(fc.constant(200), odd), content: fc.record({ text: odd }) }),
    _webSocketMessages: fc.array(fc.record({ type: text, time: fc.double(), data: odd })),
    snapshot: odd,
    hash: text,
  },
  { requiredKeys: ['startedDateTime', 'time', 'request', 'response'] },
)

test('any file of another recorder is read as a tape or refused with an error', () => {
  using folder = temporaryFolder()
  const path = folder.file('odd')
  const files = fc
    .array(oddEntry, { maxLength: 5 })
    .chain((entries) => fc.constantFrom<unknown>({ log: { entries } }, entries))
  fc.assert(
    fc.property(files, (file) => {
      writeFileSync(path, JSON.stringify(file))
      try {
        expect(readTape(path).events.length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toMatchObject({ code: 'TAPE_INVALID' })
      }
    }),
    runs(200, 10_000),
  )
})

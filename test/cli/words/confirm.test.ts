import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { ask } from '#src/cli/words/confirm.ts'

test.each([
  ['y', true],
  ['YES', true],
  [' y ', true],
  ['', false],
  ['n', false],
  ['yellow', false],
])('the answer "%s" means %s', async (line, expected) => {
  const input = new PassThrough()
  const output = new PassThrough()
  const answered = ask('Send this? [y/N] ', { input, output })
  input.write(`${line}\n`)
  expect(await answered).toBe(expected)
  expect(String(output.read())).toContain('Send this? [y/N] ')
})

test('a terminal that closes without an answer means no', async () => {
  const input = new PassThrough()
  const answered = ask('Send this? [y/N] ', { input, output: new PassThrough() })
  input.end()
  expect(await answered).toBe(false)
})

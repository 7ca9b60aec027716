import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { programWords, temporaryFolder } from '#test/cli/support/process.ts'

/** Nothing listens there: the calls must not be sent. */
const unsent = 'http://127.0.0.1:9'

test('secrets are refused on the command line and never printed', async () => {
  using state = temporaryFolder()
  const apply = (code: string) =>
    rungsHere(['api', 'apply-code', '--code', code, '--dry-run', '--url', unsent])
  const open = await apply('canary-code-7')
  expect(open).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('--code @FILE reads a private file'),
  })
  writeFileSync(state.file('code'), 'canary-code-7', { mode: 0o644 })
  expect(await apply(`@${state.file('code')}`)).toMatchObject({ code: 78 })
  chmodSync(state.file('code'), 0o600)
  const hidden = await apply(`@${state.file('code')}`)
  expect(hidden).toMatchObject({ code: 0, stdout: expect.stringContaining('{"code":"[masked]",') })
  expect(JSON.stringify([open, hidden])).not.toContain('canary')
  // Standard input needs a separate process.
  const words = ['api', 'apply-code', '--code', '-', '--dry-run', '--url', unsent]
  const piped = spawnSync(process.execPath, programWords(words), {
    input: 'canary-code-7\n',
    encoding: 'utf8',
  })
  expect(piped).toMatchObject({ status: 0, stdout: expect.stringContaining('{"code":"[masked]",') })
})

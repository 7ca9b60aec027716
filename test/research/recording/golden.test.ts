import { cpSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const folder = fileURLToPath(new URL('golden', import.meta.url))

/**
 * Recorded with:
 *   npx rungs run strategies/0[158]*.yaml --for 15s --record test/research/recording/golden/three-strategies.tape
 * When a change of what a bot asks or decides is intended, read what `npx rungs verify` says of this folder, and
 * record the tape again. The tapes of 0.3.2 in test/golden are never recorded again.
 */
test('recordings of earlier versions are reproduced', async () => {
  const { code, stdout, stderr } = await rungsHere(['verify', folder, '--json'])
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  const { requests, matched, divergence } = JSON.parse(stdout)
  expect({ matched, divergence }).toEqual({ matched: requests, divergence: null })
  expect(requests).toBeGreaterThan(100)
})

test('an unreadable tape does not hide the others', async () => {
  using several = temporaryFolder()
  cpSync(`${folder}/three-strategies.tape`, several.file('b.tape'))
  writeFileSync(several.file('a.tape'), 'no tape')
  const { code, stdout, stderr } = await rungsHere(['verify', several.path])
  expect({ code, stderr }).toEqual({ code: 65, stderr: expect.stringContaining('a.tape') })
  expect(stdout).toMatch(/b\.tape: \d+ requests, the same\n/)
})

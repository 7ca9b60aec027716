import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { environment, temporaryFolder } from './process.ts'

test('a world in which nobody can trade is refused before anything of it is kept', async () => {
  using folder = temporaryFolder()
  // The package as somebody has it who has changed its world.
  for (const part of ['src', 'config', 'package.json']) cpSync(part, folder.file(part), { recursive: true })
  symlinkSync(resolve('node_modules'), folder.file('node_modules'))
  const world = folder.file('config/exchange.yaml')
  writeFileSync(world, readFileSync(world, 'utf8').replace(/^  paper:$/m, '  nobody:'))
  const words = ['run', resolve('strategies/01-static-grid.yaml'), '--state-dir', folder.file('state')]
  const run = promisify(execFile)(process.execPath, [folder.file('src/rungs.mjs'), ...words], {
    env: environment({}),
    timeout: 20_000,
  })
  await expect(run).rejects.toMatchObject({
    code: 78,
    killed: false,
    stderr: expect.stringMatching(/^FILE_INVALID: .* the account paper of \S+exchange.yaml has no key\n/),
  })
  expect(existsSync(folder.file('state/exchange'))).toBe(false)
})

import { execFile } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startOwnExchange } from '#src/cli/exchange/embedded-exchange.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { worldWith } from '#test/support/world.ts'
import { environment, temporaryFolder } from '#test/cli/support/process.ts'

const onBroken = (error: unknown) => {
  throw error
}

test('a world without the key of the bot is refused before anything is stored', async () => {
  using folder = temporaryFolder()
  // The package with a changed world.
  for (const part of ['src', 'config', 'package.json']) cpSync(part, folder.file(part), { recursive: true })
  symlinkSync(resolve('node_modules'), folder.file('node_modules'))
  const world = folder.file('config/exchange.yaml')
  writeFileSync(world, readFileSync(world, 'utf8').replace(/^  paper:$/m, '  nobody:'))
  const words = ['run', resolve('strategies/01-static-grid.yaml'), '--state-dir', folder.file('state')]
  const run = promisify(execFile)(process.execPath, [folder.file('src/rungs.mjs'), ...words], {
    env: environment({}),
  })
  await expect(run).rejects.toMatchObject({
    code: 78,
    stderr: expect.stringMatching(/^FILE_INVALID: .* the account paper of \S+exchange.yaml has no key\n/),
  })
  expect(existsSync(folder.file('state/exchange'))).toBe(false)
})

test('after an interrupted first start the next start creates the past, once', async () => {
  using folder = temporaryFolder()
  // The state of the disk before the first write.
  const cutOff = await startExchange({
    world: worldWith(),
    sources: { seeded: true },
    clock: systemClock,
    profile: 'full',
    dataDirectory: folder.file('exchange'),
  })
  await cutOff.close()
  for (let start = 1; start <= 2; start++) {
    const { running } = await startOwnExchange({ stateDir: folder.path, speed: 1, onBroken })
    const client = createClient({ transport: httpTransport(running.url) })
    const told = await client.time()
    const aheadMs = (told.kind === 'answer' ? told.value.time * 1000 : NaN) - Date.now()
    expect(Math.round(aheadMs / 60_000)).toBe(1)
    await client.close()
    await running.close()
  }
})

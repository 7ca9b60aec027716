import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { callBot } from '#src/cli/operate/control-call.ts'
import { startListener } from '#test/operate/alerts/listener.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

test('after a kill, another program on the port does not get the token', async () => {
  using folder = temporaryFolder()
  await using stranger = await startListener()
  const told = (pid: number) =>
    writeFileSync(
      folder.file('control.json'),
      JSON.stringify({ url: stranger.url, pid, token: 'secret-token' }),
    )
  const { pid } = spawnSync(process.execPath, ['--version'])
  told(pid)
  expect(await callBot(folder.path, 'stop', { reason: 'fire' })).toBeUndefined()
  expect(stranger.heard).toEqual([])
  // Another process has this pid now.
  told(process.pid)
  await expect(callBot(folder.path, 'stop', { reason: 'fire' })).rejects.toMatchObject({
    code: 'BOT_FOREIGN',
  })
  const [heard, ...more] = stranger.heard
  expect(more).toEqual([])
  expect(JSON.stringify(heard)).not.toContain('secret-token')
  expect(heard).toMatchObject({ path: expect.stringMatching(/^\/proof\?nonce=/) })
})

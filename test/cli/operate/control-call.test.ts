import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { callBot, tellBot } from '#src/cli/operate/control-call.ts'
import { proofOf } from '#src/operate/dashboard/http/token.ts'
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

test('a bot that is still starting is a temporary problem, and no mistake of the command line', async () => {
  using folder = temporaryFolder()
  const token = 'token'
  const bot = createServer(({ url = '' }, response) => {
    const nonce = new URL(url, 'http://bot').searchParams.get('nonce')
    const proof = nonce === null ? undefined : proofOf(token, port, nonce)
    response.writeHead(proof === undefined ? 503 : 200)
    response.end(JSON.stringify(proof === undefined ? { error: 'the bot is still starting' } : { proof }))
  }).listen(0, '127.0.0.1')
  await once(bot, 'listening')
  const address = bot.address()
  const port = typeof address === 'object' ? (address?.port ?? NaN) : NaN
  const told = { url: `http://127.0.0.1:${port}`, pid: process.pid, token }
  writeFileSync(folder.file('control.json'), JSON.stringify(told))
  await expect(tellBot(folder.path, 'stop', { reason: 'fire' })).rejects.toMatchObject({
    code: 'BOT_SILENT',
    exitCode: 75,
    message: expect.stringContaining('the bot is still starting; fix: Run the command again'),
  })
  bot.closeAllConnections()
  bot.close()
})

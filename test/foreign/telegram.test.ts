import { createServer } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { telegramSettings } from '#test/operate/alerts/telegram-service.ts'
import { telegramServer } from '#test/support/peers.ts'

/** A Telegram service of other authors, made to test bots. Only what this test uses. */
const token = '123456:token-of-mine'
const texts = z.object({ result: z.array(z.object({ message: z.object({ text: z.string() }) })) })

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.int() }).parse(server.address())
  server.close()
  await once(server, 'close')
  return port
}

test('the Telegram service of other authors delivers our commands and answers', async () => {
  const port = await freePort()
  const server = new (telegramServer())({ port, host: '127.0.0.1', storage: 'RAM', storeTimeout: 600 })
  await server.start()
  try {
    const user = server.getClient(token, { userId: 7, chatId: 7, timeout: 30_000 })
    const say = async (text: string) => {
      await user.sendMessage(user.makeMessage(text))
      const { result } = texts.parse(await user.getUpdates())
      return result.at(-1)?.message.text ?? ''
    }
    await user.sendMessage(user.makeMessage('stop'))
    using folder = temporaryFolder()
    const alerts = telegramSettings(folder, `http://127.0.0.1:${port}`, token)
    const words = ['--alerts', alerts, '--state-dir', folder.file('state')]
    await using bot = startBot(['strategies/01-static-grid.yaml', ...words])
    await bot.said(isType('order-accepted'))
    expect(await say('status')).toMatch(/\nsgrid: result .* open orders$/)
    const question = await say('stop')
    expect(question).toMatch(/: Stop all strategies: /)
    expect(await say(/\/yes \d{4}$/.exec(question)?.[0] ?? '')).toMatch(/^The command is executed/)
    await bot.said(isType('halted'))
    expect(await say('status')).toMatch(/halted: by Telegram user 7$/)
    bot.kill('SIGTERM')
    expect((await bot.ended).code).toBe(0)
  } finally {
    await server.stop()
  }
})

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/** Writes settings with which user 7 may send commands in chat 7, and returns their file. */
export function telegramSettings(
  folder: { file: (name: string) => string },
  url: string,
  token: string,
): string {
  writeFileSync(folder.file('token'), token, { mode: 0o600 })
  const commands = "level: error, except: [halted], commands: { users: ['7'] }"
  const text = `telegram: { me: { url: '${url}', chat: '7', tokenFile: token, ${commands} } }`
  writeFileSync(folder.file('alerts.yaml'), text)
  return folder.file('alerts.yaml')
}

const call = z.looseObject({
  offset: z.int().optional(),
  limit: z.int().default(100),
  timeout: z.int().default(0),
})

/**
 * A Bot API of Telegram on this machine, from its documents: `getUpdates` returns the updates from `offset` on and forgets
 * earlier ones, a negative offset counts from the end, and with a `timeout` the call waits for the next update.
 */
export async function startTelegram(token: string) {
  let updates: { update_id: number; message: object }[] = []
  let next = 900
  const sent: { chat_id: string; text: string }[] = []
  const count = { refusals: 0, calls: 0 }
  let waiting: (() => void)[] = []
  const wake = () => {
    for (const go of waiting) go()
    waiting = []
  }
  const found = (body: z.output<typeof call>) => {
    const { offset = 0, limit } = body
    if (offset < 0) updates = updates.slice(offset)
    else updates = updates.filter(({ update_id: id }) => id >= offset)
    return updates.slice(0, limit)
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    const answered = async () => {
      const reply = (result: unknown) => response.end(JSON.stringify({ ok: true, result }))
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
      response.setHeader('content-type', 'application/json')
      if (request.url === `/bot${token}/sendMessage` && count.refusals > 0) {
        count.refusals -= 1
        return response.writeHead(429).end('{"ok":false}')
      }
      if (request.url === `/bot${token}/sendMessage`) {
        sent.push(z.object({ chat_id: z.string(), text: z.string() }).parse(body))
        wake()
        return reply({ message_id: sent.length })
      }
      if (request.url !== `/bot${token}/getUpdates`) return response.writeHead(404).end('{"ok":false}')
      const asked = call.parse(body)
      count.calls += 1
      wake()
      if (found(asked).length === 0 && asked.timeout > 0) {
        await Promise.race([new Promise<void>((go) => waiting.push(go)), once(response, 'close')])
      }
      return reply(found(asked))
    }
    request.on('end', () => void answered())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener of TCP has a port
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    sent: sent as readonly { chat_id: string; text: string }[],
    /** Waits for the call after the first one: messages from now on are new. */
    async polled(): Promise<void> {
      while (count.calls < 2) await new Promise<void>((go) => waiting.push(go))
    },
    /** Refuses so many answers from now on. */
    refuse(times: number): void {
      count.refusals = times
    },
    /** A user writes to the bot. */
    write(text: string, { user = 7, chat = 7 } = {}): void {
      updates.push({
        update_id: (next += 1),
        message: {
          message_id: next,
          date: Math.floor(Date.now() / 1000),
          chat: { id: chat, type: 'private' },
          from: { id: user, is_bot: false },
          text,
        },
      })
      wake()
    },
    /** The text of the answer of this number. */
    async answer(number: number): Promise<string> {
      while (sent.length < number) await new Promise<void>((go) => waiting.push(go))
      return sent[number - 1]?.text ?? ''
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

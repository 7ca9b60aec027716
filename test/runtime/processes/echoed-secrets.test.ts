import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hiddenSockets } from '#src/venues/whitebit/client/streams/socket.ts'
import { startListener } from '#test/operate/alerts/listener.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { WebSocketServer } from 'ws'
import { tradingAtFaultyVenue } from '#test/runtime/support/at-faulty-venue.ts'
import { isType } from '#test/runtime/support/bot-process.ts'

const canaries = ['paper-key', 'paper-secret']
const forms = canaries.flatMap((word) => [word, Buffer.from(word).toString('hex')])
const echo = `x-txc-apikey: paper-key, secret ${forms.join(' ')}`

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesIn(path) : [path]
  })
}

/** The answers of status, metrics and why, and the first part of the event stream. */
async function dashboardOf(state: string, order: string): Promise<string> {
  const control = z.object({ url: z.string(), token: z.string() })
  const { url, token } = control.parse(JSON.parse(readFileSync(join(state, 'control.json'), 'utf8')))
  const headers = { authorization: `Bearer ${token}` }
  const paths = ['status', 'metrics', `why?what=${order}`]
  const answers = await Promise.all(paths.map((path) => fetch(`${url}/${path}`, { headers })))
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
  const ending = new AbortController()
  const events = await fetch(`${url}/events`, { headers, signal: ending.signal })
  let told = ''
  // The stream begins with all tables, the log and the alerts included.
  for await (const chunk of events.body ?? []) {
    told += Buffer.from(chunk).toString()
    if (told.includes('[secret]') || told.includes('paper-secret')) break
  }
  ending.abort()
  return [...texts, told].join('\n')
}

test('secrets that a venue or a gateway echoes appear in no output', async () => {
  using folder = temporaryFolder()
  const [tape, alerts] = [folder.file('run.tape'), folder.file('alerts.yaml')]
  await using phone = await startListener()
  writeFileSync(folder.file('signing'), 'secret-of-webhook', { mode: 0o600 })
  const page = `webhook: { phone: { url: ${phone.url}, secretFile: signing, also: [order-refused] } }`
  writeFileSync(alerts, `${page}\nafter: { account: 10s }`)
  await tradingAtFaultyVenue(
    async (bot, state, venue) => {
      await bot.said(isType('order-accepted'))
      venue.plan('mainBalance', 1, 'echoed by a gateway')
      const error = { code: 32, message: echo, errors: { amount: [echo] } }
      venue.rewrite('collateralBulk', (answer) =>
        Array.isArray(answer) ? answer.map(() => ({ result: null, error })) : answer,
      )
      const refused = await bot.said(
        ({ type, message }) => type === 'order-refused' && String(message).includes('secret'),
      )
      venue.rewrite('collateralBulk', undefined)
      venue.rewrite('orderHistory', () => ({ code: 30, message: echo, errors: {} }))
      let status = ''
      while (!status.includes('does not answer')) {
        const { stdout } = await rungsHere(['status', '--state-dir', state])
        const { stdout: json } = await rungsHere(['status', '--json', '--state-dir', state])
        status = stdout + json
      }
      // By an event, and by the account that stays unread.
      for (const about of ['order-refused', 'not read for'])
        await expect
          .poll(() => phone.heard.filter(({ body }) => body.includes(about)).length)
          .toBeGreaterThan(0)
      const dashboard = await dashboardOf(state, String(refused['order']))
      bot.kill('SIGTERM')
      await bot.ended
      const all = [
        ['status', status],
        ['dashboard', dashboard],
        ['alerts', JSON.stringify(phone.heard)],
        ['stderr', bot.stderr()],
        ['stdout', JSON.stringify(bot.lines)],
        ...[...filesIn(state), tape].map((path) => [path, readFileSync(path).toString('latin1')]),
      ]
      for (const [where, text = ''] of all)
        for (const form of forms) expect(text.includes(form), `${form} in ${where}`).toBe(false)
      expect(bot.lines.some(({ message }) => String(message).includes('[secret]'))).toBe(true)
      expect(JSON.stringify(phone.heard)).toContain('[secret]')
    },
    { flags: ['--record', tape, '--alerts', alerts] },
  )
})

test('secrets in a frame of a stream are removed on arrival', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  server.on('connection', (socket) => socket.send('{"error":"paper-secret"}'))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const frame = await new Promise((resolve) => {
    const open = hiddenSockets((text) => text.replaceAll('paper-secret', '[secret]'))
    const socket = open(`ws://127.0.0.1:${port}`, {
      open() {},
      frame(text) {
        resolve(text)
        socket.end()
      },
      over() {},
    })
  })
  expect(frame).toBe('{"error":"[secret]"}')
  server.close()
})

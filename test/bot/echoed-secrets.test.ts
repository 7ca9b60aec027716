import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { hiddenSockets } from '#src/client/socket.ts'
import { rungsHere } from '#test/cli/here.ts'
import { temporaryFolder } from '#test/cli/process.ts'
import { WebSocketServer } from 'ws'
import { tradingAtFaultyVenue } from './at-faulty-venue.ts'
import { isType } from './bot-process.ts'

const canaries = ['paper-key', 'paper-secret']
const forms = canaries.flatMap((word) => [word, Buffer.from(word).toString('hex')])
const echo = `x-txc-apikey: paper-key, secret ${forms.join(' ')}`

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesIn(path) : [path]
  })
}

test('secrets that a venue or a gateway sends back stand nowhere: outputs, log, journal, tape, status', async () => {
  using folder = temporaryFolder()
  const tape = folder.file('run.tape')
  await tradingAtFaultyVenue(
    async (bot, state, venue) => {
      await bot.said(isType('order-accepted'))
      venue.plan('mainBalance', 1, 'echoed by a gateway')
      const error = { code: 32, message: echo, errors: { amount: [echo] } }
      venue.rewrite('collateralBulk', (answer) =>
        Array.isArray(answer) ? answer.map(() => ({ result: null, error })) : answer,
      )
      await bot.said(({ type, message }) => type === 'order-refused' && String(message).includes('secret'))
      venue.rewrite('collateralBulk', undefined)
      venue.rewrite('orderHistory', () => ({ code: 30, message: echo, errors: {} }))
      let status = ''
      while (!status.includes('does not answer')) {
        const { stdout } = await rungsHere(['status', '--state-dir', state])
        const { stdout: json } = await rungsHere(['status', '--json', '--state-dir', state])
        status = stdout + json
      }
      bot.kill('SIGTERM')
      await bot.ended
      const all = [
        ['status', status],
        ['stderr', bot.stderr()],
        ['stdout', JSON.stringify(bot.lines)],
        ...[...filesIn(state), tape].map((path) => [path, readFileSync(path).toString('latin1')]),
      ]
      for (const [where, text = ''] of all)
        for (const form of forms) expect(text.includes(form), `${form} in ${where}`).toBe(false)
      expect(bot.lines.some(({ message }) => String(message).includes('[secret]'))).toBe(true)
    },
    { flags: ['--record', tape] },
  )
})

test('secrets in a frame of a stream are taken out where it enters', async () => {
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

import { randomBytes, timingSafeEqual } from 'node:crypto'
import { rmSync, writeFileSync, renameSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { z } from 'zod'
import type { State } from '#src/engine/state.ts'
import { writeOffFault } from '#src/engine/writing-off.ts'
import type { RunningBot } from './bot.ts'
import type { Contact } from './contact.ts'
import type { Told } from './driver.ts'
import { statusOf } from './status.ts'

/** Where the bot of a folder listens, and the word that opens it: for its owner's eyes only. */
type ControlFile = { url: string; pid: number; token: string }

export function controlPath(stateDir: string): string {
  return join(stateDir, 'control.json')
}

type Controlled = Pick<RunningBot, 'state' | 'waiting' | 'operate'>

const bodyBytesMax = 4096
const reason = z.string().min(1).max(500)
const name = z.string().min(1).max(64)
const number = z.string().regex(/^\d{1,15}(?:\.\d{1,18})?$/)
const requests = {
  stop: z.strictObject({ reason }),
  halt: z.strictObject({ strategy: name, reason }),
  resume: z.strictObject({ strategy: name.nullable(), reason }),
  resolve: z.strictObject({ order: name, as: z.enum(['placed', 'absent']), reason }),
  'write-off': z.strictObject({
    strategy: name,
    ladder: name,
    amount: number.nullable(),
    price: number,
    reason,
  }),
}

/** The listener of an operator on the same machine: loopback, a token, and no web page gets in. */
export async function startControl(about: {
  stateDir: string
  bot: Controlled
  contact: () => Contact
  venueUrl: string
}): Promise<{ url: string; close(): Promise<void> }> {
  const token = randomBytes(32).toString('base64url')
  const app = controlApp({ ...about, token })
  const listener = getRequestListener(app.fetch)
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener of TCP has a port
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const path = controlPath(about.stateDir)
  const file: ControlFile = { url, pid: process.pid, token }
  // Under its name there is a whole file, or none, and never one that others may read.
  writeFileSync(`${path}.new`, `${JSON.stringify(file)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return {
    url,
    async close() {
      rmSync(path, { force: true })
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

function controlApp({
  bot,
  contact,
  venueUrl,
  token,
}: {
  bot: Controlled
  contact: () => Contact
  venueUrl: string
  token: string
}): Hono {
  const app = new Hono()
  app.use(async (context, next) => {
    const host = context.req.header('host') ?? ''
    const foreign = !/^(?:127\.0\.0\.1|localhost):\d{1,5}$/i.test(host)
    if (foreign || context.req.header('origin') !== undefined)
      return context.json({ error: 'not served here' }, 403)
    if (!isSame(context.req.header('authorization') ?? '', `Bearer ${token}`))
      return context.json({ error: 'the token does not fit' }, 401)
    context.header('cache-control', 'no-store')
    return next()
  })
  app.get('/status', (context) => {
    const running = { pid: process.pid, url: venueUrl, waiting: bot.waiting, ...contact() }
    return context.json(statusOf(bot.state, running))
  })
  for (const act of ['stop', 'halt', 'resume', 'resolve', 'write-off'] as const) {
    app.post(`/${act}`, async (context) => {
      const length = Number(context.req.header('content-length') ?? Infinity)
      if (!(length <= bodyBytesMax)) return context.json({ error: 'the request is too long' }, 413)
      const told = actIn(act, await context.req.json().catch(() => undefined))
      if (told === undefined) return context.json({ error: 'the request does not fit' }, 400)
      const missing = missingIn(bot.state, told)
      if (missing !== undefined) return context.json({ error: missing }, 404)
      await bot.operate(told)
      return context.json({})
    })
  }
  app.notFound((context) => context.json({ error: 'there is nothing here' }, 404))
  return app
}

type Act = Extract<Told, { kind: 'operator' }>

function actIn(act: keyof typeof requests, body: unknown): Act | undefined {
  const read = requests[act].safeParse(body)
  // The schema is that of the act; the compiler cannot see that for all of them at once.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return read.success ? ({ kind: 'operator', act, ...read.data } as Act) : undefined
}

/** Of what is named, the part that is not there. */
function missingIn(state: State, act: Act): string | undefined {
  if ('strategy' in act && act.strategy !== null && !Object.hasOwn(state.strategies, act.strategy)) {
    return `there is no strategy ${act.strategy}, but ${Object.keys(state.strategies).join(', ')}`
  }
  if (act.act === 'write-off') return writeOffFault(state, act)
  if (!('order' in act)) return undefined
  const investing = Object.values(state.strategies).find((own) => own.investing?.id === act.order)?.investing
  if (investing) return investing.isDoubtful ? undefined : `the investment ${act.order} is on its way`
  const status = Object.hasOwn(state.orders, act.order) ? state.orders[act.order]?.status : undefined
  if (status === undefined) return `there is no order ${act.order}`
  return status === 'doubtful' ? undefined : `the order ${act.order} is not in doubt, it is ${status}`
}

/** Takes the same time for every wrong word of the right length. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

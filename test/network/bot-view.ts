import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const tables = z.object({
  bot: z.record(z.string(), z.object({ lost: z.string().nullable(), drift: z.string().nullable() })),
  orders: z.record(z.string(), z.object({ status: z.string(), filled: z.string() })),
  holdings: z.record(z.string(), z.object({ market: z.string(), position: z.string(), fees: z.string() })),
})
const whole = z.object({ set: tables })
const control = z.object({ url: z.string(), token: z.string() })

/** What the bot itself shows: the tables of its dashboard. */
export type DashboardTables = Omit<z.output<typeof tables>, 'bot'> & {
  lost: string | null
  drift: string | null
}

/** The first message to somebody who opens the dashboard has all of it. */
export async function viewOf(stateDir: string): Promise<DashboardTables> {
  const { url, token } = control.parse(JSON.parse(readFileSync(join(stateDir, 'control.json'), 'utf8')))
  const answer = await fetch(`${url}/events`, { headers: { authorization: `Bearer ${token}` } })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let read = await reader?.read(); read?.value !== undefined; read = await reader?.read()) {
    text += read.value
    const data = /event: tables\ndata: (.*)\n\n/.exec(text)?.[1]
    if (data === undefined) continue
    await reader?.cancel()
    const { bot, orders, holdings } = whole.parse(JSON.parse(data)).set
    const { lost = null, drift = null } = bot[''] ?? {}
    return { lost, drift, orders, holdings }
  }
  throw new Error(`the dashboard has sent no tables: ${text}`)
}

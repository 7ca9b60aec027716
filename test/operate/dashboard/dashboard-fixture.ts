import { SqliteHistory } from '#src/journal/sqlite/history.ts'
import { request } from 'node:http'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { openDashboard } from '#src/operate/dashboard/http/open-dashboard.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'
import { systemClock, type Clock } from '#src/core/time/clock.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { EngineHarness as EngineDesk, fileOf } from '#test/engine/support/engine-harness.ts'

/** An engine with prices, whose orders rest. */
export function atWork(file: string): EngineDesk {
  const engine = begun(file)
  engine.quote('BTC_USDT', 60_000)
  engine.quote('BTC_PERP', 60_000)
  engine.settle(engine.past('BTC_USDT', '1m', [60_000, 60_000]))
  engine.settle(engine.wait(1000))
  return engine
}

export function begun(file: string): EngineDesk {
  const engine = new EngineDesk([fileOf(file)])
  engine.account({ USDT: '100000' }, {}, '100000')
  return engine
}

export function openedDashboard(about: About = {}) {
  return openDashboardOf(atWork('01-static-grid'), about)
}

/** Opens it at a free port; the folder may be that of an earlier dashboard. */
export async function openDashboardOf(
  engine: EngineDesk,
  {
    port,
    folder = temporaryFolder(),
    venueUrl = 'http://127.0.0.1:1',
    clock = systemClock,
    signalToken,
  }: About = {},
) {
  const broken: unknown[] = []
  const said: unknown[] = []
  const opened = await openDashboard({
    stateDir: folder.path,
    history: () => new SqliteHistory(folder.path),
    port,
    names: ['sgrid', 'sgrid.grid.'],
    state: engine.engine.state,
    bot: () => ({
      waiting: 0,
      operate: (act) => void engine.tell(act),
      signal: (signal) => void engine.tell({ kind: 'signal', ...signal }),
    }),
    say: (event) => said.push(event),
    signalToken,
    clock,
    contact: () => ({ readAt: null, lost: null }),
    lanes: () => [],
    publicClient: (signal) => createClient({ transport: httpTransport(venueUrl, { signal }) }),
    metrics: () => '',
    onBroken: (error) => broken.push(error),
    about: { version: '1.2.3', venueUrl: 'http://127.0.0.1:1', real: false, files: new Map() },
  })
  const { dashboard, url, link } = opened
  const [token = ''] = link.slice(link.indexOf('#') + 1).split('.')
  const authorization = `Bearer ${token}`
  return {
    engine,
    dashboard,
    url,
    token,
    authorization,
    folder,
    broken,
    said,
    /** Sends a request unchanged and returns the answer. */
    ask: (path: string, about: Asking = {}) => ask(url, path, { authorization, ...about.headers }, about),
    close: () => opened.close(),
    async [Symbol.asyncDispose]() {
      await opened.close()
      folder[Symbol.dispose]()
    },
  }
}

type Folder = ReturnType<typeof temporaryFolder>
type About = { port?: number; folder?: Folder; venueUrl?: string; clock?: Clock; signalToken?: string }
type Asking = { method?: string; headers?: Record<string, string | undefined>; body?: string | Buffer }
type Answer = { status: number | undefined; headers: Record<string, unknown>; text: string }

/** Sends the path unchanged, with any host and origin. */
function ask(
  url: string,
  path: string,
  given: NonNullable<Asking['headers']>,
  about: Asking,
): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, path, method: about.method ?? 'GET', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }))
    })
    asking.on('error', reject)
    asking.end(about.body)
  })
}

type Heard = {
  tables: { whole?: true; set: Partial<Tables>; gone: Partial<Record<keyof Tables, string[]>> }
  log: { type?: string; level?: string; message?: string; count?: number }[]
  price: { BTC_USDT?: [at: number, last: string] }
}
type Message = { event: keyof Heard; data: unknown }

/** A subscriber that keeps all messages. */
export async function watching(url: string, authorization: string) {
  const ending = new AbortController()
  const answer = await fetch(`${url}/events`, { headers: { authorization }, signal: ending.signal })
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  let isOver = false
  const reading = (async () => {
    let rest = ''
    try {
      for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        rest += part
        const parts = rest.split('\n\n')
        rest = parts.pop() ?? ''
        for (const each of parts) {
          const [, event = '', data = ''] = /^event: (\w+)\ndata: ([^\r\n]*)$/.exec(each) ?? []
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tests look whether it is
          messages.push({ event, data: JSON.parse(data) } as Message)
        }
        for (const look of waiting) look()
      }
    } catch {
      // Either side has closed the connection.
    }
    isOver = true
    for (const look of waiting) look()
  })()
  return {
    status: answer.status,
    messages,
    /** The first matching message of this event, received already or later. */
    heard: <Event extends keyof Heard>(event: Event, fits: (data: Heard[Event]) => unknown = () => true) =>
      new Promise<Heard[Event]>((resolve, reject) => {
        const look = () => {
          for (const message of messages) {
            if (message.event !== event) continue
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tests look whether it is
            const data = message.data as Heard[Event]
            if (fits(data) === true) {
              waiting.delete(look)
              resolve(data)
              return
            }
          }
          if (isOver) reject(new Error(`it was over before ${event}`))
        }
        waiting.add(look)
        look()
      }),
    over: reading,
    async end() {
      ending.abort()
      await reading
    },
  }
}

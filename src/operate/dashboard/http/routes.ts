import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono, type Context } from 'hono'
import { isJson } from '#src/venues/whitebit/contract/wire/envelope.ts'
import {
  parseOperatorCommand,
  operatorCommands,
  operatorCommandFault,
} from '#src/operate/dashboard/operator-commands.ts'
import { intervalOf } from '#src/operate/dashboard/candles.ts'
import type { Dashboard } from '#src/operate/dashboard/dashboard.ts'
import { parseOrderQuery, findOrder, readable } from '#src/operate/dashboard/find-order.ts'
import type { PageFiles } from './page-files.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { equityRangeOf } from '#src/operate/dashboard/history/equity-history.ts'
import { performanceOf } from '#src/operate/dashboard/history/performance.ts'
import { tradesCsv } from '#src/operate/dashboard/history/trades-csv.ts'
import { addSignalRoute } from './signal-route.ts'
import { hasToken, proofOf } from './token.ts'

const bodyBytesMax = 4096
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

type Bound = { Bindings: HttpBindings }

type RouteContext = {
  dashboard: Dashboard
  files: PageFiles
  token: string
  /** Of `POST /signal`; undefined if no other program may send signals. */
  signalToken: string | undefined
  port: number
  metrics: () => string
}

/** The page is public on this machine; signals have a token of their own, and all other routes need the token. */
export function routesOf(about: RouteContext): Hono<Bound> {
  const { dashboard, token } = about
  const app = new Hono<Bound>()
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    if (isForeign(context)) return context.json({ error: 'not available here' }, 403)
    // HEAD is refused: the answer of /events never ends.
    return context.req.method === 'HEAD' ? context.body(null, 405) : next()
  })
  addPublicRoutes(app, about)
  addSignalRoute(app, { ...about, bytesMax: bodyBytesMax })
  app.use(async (context, next) => {
    if (hasToken(context.req.header('authorization'), token)) return next()
    return context.json({ error: 'the token is wrong' }, 401)
  })
  addReads(app, about)
  addCommands(app, dashboard)
  app.onError((error, context) => {
    dashboard.parts.onBroken(error)
    return context.json({ error: 'internal error: see the log' }, 500)
  })
  app.notFound((context) => context.json({ error: 'not found' }, 404))
  return app
}

function addPublicRoutes(app: Hono<Bound>, { files, token, port }: RouteContext): void {
  const page = async (context: Context, name: string) => {
    const file = await files.read(name)
    if (file === undefined) return context.json({ error: 'not found' }, 404)
    return context.body(file.bytes, 200, { 'content-type': file.type })
  }
  app.get('/', (context) => page(context, 'index.html'))
  app.get('/page/:name{.+}', (context) => page(context, context.req.param('name')))
  app.get('/proof', (context) => {
    const proof = proofOf(token, port, context.req.query('nonce') ?? '')
    if (proof === undefined) return context.json({ error: 'the nonce must have 22 to 64 letters' }, 400)
    return context.json({ proof })
  })
}

function addReads(app: Hono<Bound>, { dashboard, metrics }: RouteContext): void {
  app.get('/status', (context) =>
    context.json(statusOf(dashboard.state, dashboard.known(), dashboard.process())),
  )
  app.get('/events', (context) => {
    const { outgoing } = context.env
    if (dashboard.subscribers.isFull) return context.json({ error: 'too many viewers' }, 503)
    outgoing.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
    dashboard.subscribers.join(outgoing)
    return RESPONSE_ALREADY_SENT
  })
  app.get('/why', (context) => {
    const asked = parseOrderQuery(context.req.query('what') ?? '')
    if (asked === undefined) return context.json({ error: 'this is neither an order nor a rung' }, 400)
    using history = dashboard.parts.history()
    const found = findOrder(history, asked, () => ({ state: dashboard.state, known: dashboard.known() }))
    if (found === undefined) return context.json({ error: 'the journal does not know it' }, 404)
    // `seen` is for the replay of decisions, and much longer than the rest.
    const text = JSON.stringify(readable(found), (key, value: unknown) =>
      key === 'seen' ? undefined : value,
    )
    return context.body(text, 200, { 'content-type': 'application/json' })
  })
  app.get('/candles', async (context) => {
    const { market = '', bar = '', strategy = '' } = context.req.query()
    const interval = intervalOf(bar)
    const { venue, strategies } = dashboard.state
    if (interval === null || !Object.hasOwn(venue.markets, market))
      return context.json({ error: 'no such market or candle' }, 400)
    if (strategy !== '' && !Object.hasOwn(strategies, strategy))
      return context.json({ error: 'no such strategy' }, 400)
    const found = await dashboard.chart(market, interval, strategy)
    return 'failure' in found ? context.json({ error: found.failure }, 502) : context.json(found)
  })
  app.get('/equity', (context) => {
    const { strategy = '', range: text = '' } = context.req.query()
    const range = equityRangeOf(text)
    const { strategies, at } = dashboard.state
    if (range === undefined || (strategy !== '' && !Object.hasOwn(strategies, strategy)))
      return context.json({ error: 'no such strategy or range' }, 400)
    return context.json(dashboard.equity.points(strategy, range, at))
  })
  app.get('/strategy', async (context) => {
    const name = context.req.query('name') ?? ''
    const { strategies } = dashboard.state
    const own = Object.hasOwn(strategies, name) ? strategies[name] : undefined
    if (own === undefined) return context.json({ error: 'no such strategy' }, 400)
    return context.json({ text: own.text, performance: await performanceOf(dashboard.trades, name) })
  })
  app.get('/trades.csv', async (context) =>
    context.body(await tradesCsv(dashboard.trades), 200, { 'content-type': 'text/csv; charset=utf-8' }),
  )
  app.get('/metrics', (context) =>
    context.body(metrics(), 200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    }),
  )
}

function addCommands(app: Hono<Bound>, dashboard: Dashboard): void {
  for (const act of operatorCommands) {
    app.post(`/${act}`, async (context) => {
      if (!isJson(context.req.header('content-type')))
        return context.json({ error: 'the request is not JSON' }, 415)
      const length = Number(context.req.header('content-length') ?? Infinity)
      if (!(length <= bodyBytesMax)) return context.json({ error: 'the request is too long' }, 413)
      const command = parseOperatorCommand(act, await context.req.json().catch(() => undefined))
      if (command === undefined) return context.json({ error: 'the request is invalid' }, 400)
      const fault = operatorCommandFault(dashboard.state, command)
      if (fault !== undefined) return context.json({ error: fault }, 404)
      const bot = dashboard.parts.bot()
      if (bot === undefined) return context.json({ error: 'the bot is still starting' }, 503)
      await bot.operate(command)
      return context.json({})
    })
  }
}

/** Detects requests of other web pages, including DNS rebinding. The port may differ from ours because of a tunnel. */
function isForeign({ req }: Context): boolean {
  const host = req.header('host') ?? ''
  if (!/^(?:127\.0\.0\.1|localhost):\d{1,5}$/i.test(host)) return true
  // A link on another page may lead here; all other requests of other pages are refused.
  if (req.header('sec-fetch-site') === 'cross-site' && req.header('sec-fetch-mode') !== 'navigate')
    return true
  const origin = req.header('origin')
  return origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`
}

import type { Hono, Context } from 'hono'
import type { HttpBindings } from '@hono/node-server'
import type { Dashboard } from '#src/operate/dashboard/dashboard.ts'
import { bodyOf } from '#src/strategy/signals/chart-alert.ts'
import { isSame } from '#src/venues/whitebit/contract/wire/signing.ts'
import { hasToken } from './token.ts'

type SignalRoute = { dashboard: Dashboard; token: string; signalToken: string | undefined; bytesMax: number }

/**
 * Signals have a token of their own, which allows nothing else. A program that cannot set a header sends it in the body. The
 * token of the operator is valid, too: `rungs signal` sends that.
 */
export function addSignalRoute(app: Hono<{ Bindings: HttpBindings }>, about: SignalRoute): void {
  const { dashboard, bytesMax } = about
  app.post('/signal', async (context) => {
    const length = Number(context.req.header('content-length') ?? Infinity)
    if (!(length <= bytesMax)) return context.json({ error: 'the request is too long' }, 413)
    const { isAllowed, body } = authorised(context, bodyOf(await context.req.text()), about)
    if (!isAllowed) return context.json({ error: tokenFault(about) }, 401)
    const { signals } = dashboard
    if (!signals.mayTake()) {
      context.header('retry-after', '1')
      return context.json({ error: 'too many signals in this second; fix: send it again later' }, 429)
    }
    const { set, refused, isStarting } = await signals.take('POST /signal', body)
    if (refused === null) return context.json({ set })
    return context.json({ error: refused, set }, isStarting ? 503 : 422)
  })
}

/** The body without the token, which must not be stored or logged. */
function authorised(
  { req }: Context,
  body: ReturnType<typeof bodyOf>,
  { token, signalToken }: SignalRoute,
): { isAllowed: boolean; body: ReturnType<typeof bodyOf> } {
  const header = req.header('authorization')
  const isByHeader = hasToken(header, token) || (signalToken !== undefined && hasToken(header, signalToken))
  if (typeof body === 'string') return { isAllowed: isByHeader, body }
  const { token: given, ...rest } = body
  const isByBody = signalToken !== undefined && typeof given === 'string' && isSame(given, signalToken)
  return { isAllowed: isByHeader || isByBody, body: rest }
}

function tokenFault({ signalToken }: SignalRoute): string {
  return signalToken === undefined
    ? 'this bot has no token for signals; fix: set RUNGS_SIGNAL_TOKEN_FILE and restart the bot'
    : 'the token for signals is missing or wrong; fix: send it as "Authorization: Bearer TOKEN", or as the field token of JSON'
}

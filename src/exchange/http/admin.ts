import { Hono } from 'hono'
import { imbalances } from '#src/exchange/ledger/ledger.ts'
import type { Exchange } from '#src/exchange/exchange.ts'

/** A week: all that happens in the markets until then has to happen before the answer. */
const movingSecondsMax = 604_800

/** Powers that no client of a real venue has: on a listener of its own, which is closed unless asked for. */
export function adminApp(powers: {
  exchange: Exchange
  now: () => number
  durable: () => Promise<void>
  wake: () => void
}): Hono {
  const { exchange, now, durable, wake } = powers
  const app = new Hono()
  app.use(async (context, next) => {
    const host = context.req.header('host') ?? ''
    const isPage = !['none', undefined].includes(context.req.header('sec-fetch-site'))
    const foreign = isPage || !/^(?:127\.0\.0\.1|localhost|\[::1\]):\d{1,5}$/i.test(host)
    if (foreign || context.req.header('origin') !== undefined)
      return context.json({ error: 'not available here' }, 403)
    return next()
  })
  app.post('/clock/turn/:seconds{[0-9]{1,9}}', async (context) => {
    const seconds = Number(context.req.param('seconds'))
    if (exchange.state.flow && seconds > movingSecondsMax) {
      return context.json(
        { error: `while the markets move, at most ${movingSecondsMax} seconds at a time` },
        400,
      )
    }
    exchange.moveClock(seconds * 1000, now())
    await durable()
    wake()
    return context.json({ now: now() })
  })
  app.post('/deposits/:id/cancel', async (context) => {
    const done = exchange.cancelDeposit(context.req.param('id'), now())
    await durable()
    wake()
    return done ? context.json({}) : context.json({ error: 'no pending deposit has this id' }, 404)
  })
  app.get('/ledger', (context) =>
    context.json({
      imbalances: [...imbalances(exchange.state.ledger)].map(([asset, sum]) => [asset, String(sum)]),
    }),
  )
  app.notFound((context) =>
    context.json({ error: 'POST /clock/turn/SECONDS, POST /deposits/ID/cancel, GET /ledger' }, 404),
  )
  return app
}

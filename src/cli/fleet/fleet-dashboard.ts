import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { systemCode } from '#src/core/errors/system-errors.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { roster } from '#src/fleet/roster.ts'
import { end } from '#src/operate/dashboard/http/listener.ts'
import { isSame } from '#src/venues/whitebit/contract/wire/signing.ts'
import { Shutdown } from '#src/cli/run/shutdown.ts'
import { atFleet } from './fleet-address.ts'
import { pageScript, pageStyle, pageText, tablesText } from './fleet-page.ts'

const hostname = '127.0.0.1'

/**
 * `rungs fleet dashboard`: a page with the tables of all bots of a fleet, on this machine, until Ctrl-C. The page changes
 * nothing. The link holds a token, since other users of the machine could open the address, too.
 */
export async function fleetDashboard(address: string, { port = 0 }: { port?: number }): Promise<number> {
  const ending = new Shutdown()
  return atFleet(address, async (database) => {
    // The first query reports an address that is wrong.
    await roster(database)
    const token = randomBytes(24).toString('base64url')
    const tables = async () => tablesText(await roster(database), systemClock.now())
    const server = serverOf(token, tables)
    const listening = await listen(server, port)
    process.stdout.write(`Fleet dashboard: http://${hostname}:${listening}/${token}\nEnd it with Ctrl-C.\n`)
    await ending.requested
    await end(server)
    return exitCodes.ok
  })
}

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    ...['script-src', 'style-src', 'connect-src'].map((name) => `${name} 'self'`),
    ...['base-uri', 'form-action', 'frame-ancestors'].map((name) => `${name} 'none'`),
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

function serverOf(token: string, tables: () => Promise<string>): Server {
  const html = 'text/html; charset=utf-8'
  const pages: Readonly<Record<string, { type: string; text: () => string | Promise<string> }>> = {
    '': { type: html, text: async () => pageText(token, await tables()) },
    '/tables': { type: html, text: tables },
    '/page.css': { type: 'text/css', text: () => pageStyle },
    '/page.js': { type: 'text/javascript', text: () => pageScript },
  }
  return createServer((request, response) => {
    const [, given = '', name = ''] = /^\/([\w-]{1,64})(\/[\w.]{1,20})?$/.exec(request.url ?? '') ?? []
    const page =
      isSame(given, token) && request.method === 'GET' && Object.hasOwn(pages, name) ? pages[name] : undefined
    if (page === undefined) {
      response.writeHead(404, headers).end()
      return
    }
    Promise.resolve(page.text()).then(
      (text) => response.writeHead(200, { ...headers, 'content-type': page.type }).end(text),
      // The page says that the server of the fleet does not answer, and asks again.
      () => response.writeHead(503, headers).end(),
    )
  })
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, hostname, resolve)
  }).catch((cause: unknown) => {
    if (systemCode(cause) !== 'EADDRINUSE') throw cause
    throw new BotError('PORT_TAKEN', { seen: `${hostname}:${port} for the fleet dashboard`, cause })
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

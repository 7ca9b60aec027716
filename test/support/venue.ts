import { createHmac } from 'node:crypto'
import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { inProcessTransport } from '#src/venues/whitebit/client/transport/in-process.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { OutgoingRequest, Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { methodOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import { startExchange } from '#src/exchange/http/server.ts'
import type { Profile } from '#src/exchange/venue-context.ts'
import { WebhookSender } from '#src/exchange/http/webhook-sender.ts'
import { ManualClock } from '#src/core/time/clock.ts'
import { startReceiver, type Receiver } from './receiver.ts'
import { listenToHeads, recorded, type Exchanged } from './wire-tap.ts'
import { worldWith, type WorldChange } from './world.ts'

export type Way = 'socket' | 'process'
export type VenueOptions = {
  world?: WorldChange
  profile?: Profile
  spelling?: Spelling
  /** Gives paper a webhook, and somebody who listens at its other end. */
  webhook?: true
}

/** When every test world begins: on a quarter of a second, so that fractions show. */
export const beginsAtMs = 1_790_000_000_250
const seed = 'the same for every test'
const callMsMax = 20_000

const accounts = ['paper', 'rival', 'reader'] as const
export type AccountName = (typeof accounts)[number]

type Raw = Partial<Omit<OutgoingRequest, 'body'>> & { body?: string | Uint8Array }
export type SignedAbout = {
  as?: AccountName
  /** Instead of the next one; null leaves it out. */
  nonce?: string | number | null | object
  /** Instead of the path; null leaves it out. */
  request?: string | number | null
  /** Added to the signed headers, or in place of them; undefined takes one away. */
  headers?: Record<string, string | undefined>
  region?: 'home' | 'eu'
}

export type TestVenue = Record<AccountName, Client> & {
  /** The client of paper at the second address. */
  eu: Client
  exchange: Exchange
  clock: ManualClock
  exchanged: readonly Exchanged[]
  receiver: Receiver | undefined
  /** Where the streams are; a venue in one process has none. */
  streamUrl: string
  /** Lets time pass for venue and clients alike. */
  advance(ms: number): void
  /** The operator's levers, which no client has. */
  operator: { advance(seconds: number): Promise<void>; cancelDeposit(id: string): Promise<boolean> }
  nonce(as: AccountName): string
  /** Any request at all, without a client in between. */
  send(request: Raw, region?: 'home' | 'eu'): Promise<Exchanged>
  /** A private call, signed by the test itself, with whatever parameters. */
  signed(name: EndpointName, parameters?: object, about?: SignedAbout): Promise<Exchanged>
  close(): Promise<void>
}

type Ground = {
  exchange: Exchange
  streamUrl: string
  home(): Transport
  eu(): Transport
  operator: TestVenue['operator']
  close(): Promise<void>
}

/** A fresh venue and its clients, over sockets or in one process. */
export async function openVenue(way: Way, options: VenueOptions = {}): Promise<TestVenue> {
  const clock = new ManualClock(beginsAtMs)
  const receiver = options.webhook ? await startReceiver() : undefined
  const hook = receiver && { url: receiver.url, key: 'hook-key', secret: 'hook-secret' }
  const change = hook ? { accounts: { paper: { webhook: hook } } } : {}
  const about = {
    world: worldWith(options.world ?? {}, change),
    seed,
    profile: options.profile ?? 'spec',
    clock,
  }
  const spelling = options.spelling ?? 'spec'
  const exchanged: Exchanged[] = []
  const ground =
    way === 'socket'
      ? await socketGround({ ...about, spelling }, exchanged)
      : processGround({ ...about, spelling }, exchanged)
  const nonces = new Map(accounts.map((name) => [name, new Nonces({ clock, mode: 'strict' })]))
  const noncesOf = (name: AccountName) => nonces.get(name) ?? new Nonces({ clock, mode: 'strict' })
  const clientOf = (name: AccountName, transport: Transport) =>
    createClient({
      transport,
      key: {
        credentials: { key: `${name}-key`, secret: new Secret(`${name}-secret`) },
        nonces: noncesOf(name),
      },
      clock,
      random: () => 0,
      spelling,
      stopOnFailAnswer: about.world.switches.stopOnFailAnswer,
      keepRates: false,
    })
  const clients = {
    paper: clientOf('paper', ground.home()),
    rival: clientOf('rival', ground.home()),
    reader: clientOf('reader', ground.home()),
    eu: clientOf('paper', ground.eu()),
  }
  const doors = { home: ground.home(), eu: ground.eu() }

  async function send(request: Raw, region: 'home' | 'eu' = 'home'): Promise<Exchanged> {
    const { method = 'POST', path = '/', query = '', headers = {}, body = '' } = request
    const place = exchanged.length
    await doors[region].send({ method, path, query, headers, body: Buffer.from(body) }, callMsMax)
    const answer = exchanged[place]
    if (answer === undefined) throw new Error('a call was not written down')
    return answer
  }

  return {
    ...clients,
    exchange: ground.exchange,
    streamUrl: ground.streamUrl,
    clock,
    exchanged,
    receiver,
    advance: (ms) => clock.advance(ms),
    operator: ground.operator,
    nonce: (name) => noncesOf(name).next('any'),
    send,
    signed(name, parameters = {}, { as = 'paper', nonce, request, headers = {}, region } = {}) {
      const row = contract[name]
      const envelope = {
        ...(request === null ? {} : { request: request ?? row.path }),
        ...(nonce === null ? {} : { nonce: nonce ?? noncesOf(as).next(row.path) }),
      }
      const body = JSON.stringify({ ...parameters, ...envelope })
      const signedHeaders = { ...headersOf(as, body), ...headers }
      return send({ method: methodOf(row), path: row.path, headers: signedHeaders, body }, region)
    },
    async close() {
      await Promise.all([...Object.values(clients), ...Object.values(doors)].map((each) => each.close()))
      await ground.close()
      await receiver?.close()
    },
  }
}

/** What §5 asks of a call, written down a second time: the tests do not sign with the code that they test. */
export function headersOf(as: AccountName, body: string): Record<string, string> {
  const payload = Buffer.from(body).toString('base64')
  return {
    'Content-type': 'application/json',
    'X-TXC-APIKEY': `${as}-key`,
    'X-TXC-PAYLOAD': payload,
    'X-TXC-SIGNATURE': createHmac('sha512', `${as}-secret`).update(payload).digest('hex'),
  }
}

type GroundOptions = {
  world: ReturnType<typeof worldWith>
  seed: string
  profile: Profile
  spelling: Spelling
  clock: ManualClock
}

async function socketGround(options: GroundOptions, exchanged: Exchanged[]): Promise<Ground> {
  const running = await startExchange({ ...options, adminPort: 0 })
  const { url, euUrl, adminUrl = '' } = running
  const tap = listenToHeads([url, euUrl])
  const over = (address: string) => recorded(httpTransport(address), exchanged, tap.heads)
  const pull = (lever: string) => fetch(`${adminUrl}/${lever}`, { method: 'POST' })
  return {
    exchange: running.exchange,
    streamUrl: running.wsUrl,
    home: () => over(url),
    eu: () => over(euUrl),
    operator: {
      advance: async (seconds) => {
        await pull(`clock/turn/${seconds}`)
      },
      cancelDeposit: async (id) => (await pull(`deposits/${id}/cancel`)).status === 200,
    },
    async close() {
      tap.end()
      await running.close()
    },
  }
}

function processGround(options: GroundOptions, exchanged: Exchanged[]): Ground {
  const { clock } = options
  const exchange = new Exchange({ ...options, begin: clock.now() })
  const now = () => Math.max(exchange.state.at, clock.now() + exchange.state.turnedMs)
  const webhooks = new WebhookSender(exchange, now, () => Promise.resolve())
  webhooks.wake()
  const { executionDelay } = exchange.venue.switches
  const direct = inProcessTransport((request, at) => exchange.handle(request, at), { now })
  const delayed: Transport = {
    async send(request) {
      const admitted = exchange.admit({ ...request, origin: '127.0.0.1' }, now())
      if ('status' in admitted) return { kind: 'answered', response: admitted }
      if (admitted.row.effect === 'write') await clock.sleep(executionDelay)
      return { kind: 'answered', response: exchange.execute(admitted, now()) }
    },
    close: async () => {},
  }
  const lowered: Transport = {
    send(request, withinMs) {
      const headers = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value])
      const transport = executionDelay > 0 ? delayed : direct
      return transport.send({ ...request, headers: Object.fromEntries(headers) }, withinMs)
    },
    close: async () => {},
  }
  const door = () => recorded(lowered, exchanged)
  return {
    exchange,
    streamUrl: '',
    home: door,
    eu: door,
    operator: {
      advance: async (seconds) => {
        exchange.moveClock(seconds * 1000, now())
        webhooks.wake()
      },
      cancelDeposit: async (id) => {
        const done = exchange.cancelDeposit(id, now())
        webhooks.wake()
        return done
      },
    },
    close: () => webhooks.close(),
  }
}

import { createHmac } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { WebSocket } from 'ws'
import { CommandExecutor } from '#src/runtime/execute/command-executor.ts'
import { streamedEvent } from '#src/venues/whitebit/adapter/market-reads.ts'
import { whitebitVenue } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { Driver } from '#src/runtime/loop/driver.ts'
import { lowerJitThreshold } from '#src/runtime/loop/jit-threshold.ts'
import { Quotes } from '#src/runtime/feeds/quotes.ts'
import { VenueClock } from '#src/runtime/loop/venue-clock.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Stream } from '#src/venues/whitebit/client/streams/stream.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { Engine } from '#src/engine/engine.ts'
import { endOrder, openOrdersOf } from '#src/engine/state/open-orders.ts'
import type { Step } from '#src/engine/step-context.ts'
import { openJournal } from '#src/journal/sqlite/journal.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { webSocket } from '#src/venues/whitebit/client/streams/socket.ts'
import { ccxt } from '#test/support/peers.ts'
import { Stages } from './tick-stages.ts'

/** One trader in a process of its own: for every price it is told it sends a ladder of twenty orders in one bulk. */
const [name = '', url = '', account = '', flag] = process.argv.slice(2)
const market = 'BTC_PERP'
const levels = 20
const key = { key: `key-${account}`, secret: `secret-${account}` }
const wsUrl = `${url.replace('http', 'ws')}/ws`
const say = (text: string) => process.stdout.write(`${text}\n`)
const stages = new Stages(flag === '--stages')

const strategy = `
version: 1
name: tick
needs: [bulk, history, balance]
markets:
  btc: { symbol: ${market} }
feeds:
  book: { source: book, market: btc, stale_after: 10m }
let: { price: mid(book) }
ladder:
  grid:
    market: btc
    side: buy
    anchor: price
    levels: ${levels}
    spacing: { kind: arithmetic, first: 0.1%, step: 0.1% }
    size: { total: 6000 quote }
rules:
  - { id: go, when: price > 1 && spread(book) < 0.01, do: [ensure: grid] }
risk:
  max_notional: { btc: 100000 }
  max_open_orders: 100
  worst_case: { move: -30%, max_loss: 100000 }
  drawdown: { pause: 50%, halt: 90% }
  in_doubt: { block: level, halt_after: 1h }
submit:
  chunk: ${levels}
  order: nearest_first
  stopOnFail: false
  on_reject: skip_level
  throttled: { max: 5, backoff: 250ms..8s }
  rate: { requests: 1000, per: 1s }
`

/** The real parts, from the socket of the stream to that of the bulk; and an engine that forgets with every answer. */
async function ours(durable: boolean): Promise<void> {
  lowerJitThreshold()
  const transport = httpTransport(url, { connections: 4 })
  const secret = new Secret(key.secret)
  const client = createClient({
    transport: {
      send(request, withinMs) {
        const delivered = transport.send(request, withinMs)
        stages.reached('7 written')
        return delivered
      },
      close: () => transport.close(),
    },
    key: {
      credentials: {
        key: key.key,
        secret: {
          sign(payload) {
            stages.reached('5 encoded')
            const signature = secret.sign(payload)
            stages.reached('6 signed')
            return signature
          },
          prepare: () => secret.prepare(),
        },
      },
      nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
    },
    keepRates: false,
  })
  const terms = {
    url,
    nonce: 'strict',
    clientIds: 'forever',
    batchMax: levels,
    leverage: 1,
    shortSide: true,
    speed: 1,
    settleMs: 0,
    markets: null,
  } as const
  const venue = whitebitVenue({ client, clock: systemClock, terms })
  const { facts } = await venue.describe()
  const venueClock = new VenueClock(systemClock, 1, Date.now())
  const engine = new Engine(null)
  engine.step({ kind: 'began', at: Date.now(), venue: facts, strategies: [{ name: 'tick', text: strategy }] })
  engine.step({ kind: 'account', at: Date.now(), equity: '50000', available: {}, freeze: {}, main: {} })
  const { strategies, orders, quotes: prices } = engine.state
  const own = strategies['tick']
  const ladder = own?.ladders['grid']
  if (!own || !ladder) throw new Error('the strategy does not run')
  const before = structuredClone(own)
  /**
   * As if no price had come and no order been sent yet; but an id that was used is used, and what a bot keeps while it runs is
   * kept: to make its state anew with each price would be the work of the benchmark.
   */
  const renew = () => {
    for (const order of openOrdersOf(engine.state).values()) endOrder(engine.state, ladder, order)
    for (const id in orders) delete orders[id]
    const { generations, open } = ladder
    const fresh = structuredClone(before)
    Object.assign(ladder, fresh.ladders['grid'], { generations, open })
    Object.assign(own, fresh, { ladders: own.ladders })
    if (prices[market]) Object.assign(prices[market], { at: 0, bid: null, ask: null, last: null })
  }
  const journal = durable
    ? openJournal(mkdtempSync(join(tmpdir(), 'rungs-tick-')), {
        account: 'bench',
        engine: 'bench',
        begin: (state) => new Engine(state),
      })
    : { append: () => {}, commit: () => {}, abandon: () => {} }
  const carrier = new CommandExecutor({
    venue,
    clock: systemClock,
    venueClock,
    settleMs: 0,
    state: () => engine.state,
    rateOf: () => undefined,
    tell: (event) => driver.enqueue(event),
    resolve: async () => [],
    inDealOrder: async () => [],
    mayLeave: () => true,
    onBroken,
  })
  const driver: Driver<Step> = new Driver<Step>({
    venueClock,
    engine: {
      step(event) {
        if (event.kind === 'quote') stages.reached('2 read')
        return engine.step(event)
      },
    },
    journal,
    onStep: ({ kind }) => {
      if (kind === 'answered') renew()
      if (kind === 'quote') stages.reached('3 decided')
    },
    carry(command, at) {
      stages.reached('4 journalled')
      carrier.carry(command, at)
    },
    onBroken,
  })
  const quotes = new Quotes([market], {
    clock: systemClock,
    market: venue.market,
    venueClock,
    tell: (event) => driver.enqueue(event),
  })
  const stream: Stream = new Stream({
    url: wsUrl,
    openSocket: (address, on) =>
      webSocket(address, {
        ...on,
        frame(text) {
          stages.begin()
          on.frame(text)
        },
      }),
    wanted: [{ channel: 'bookTicker', markets: [market] }],
    onEvent: (event) => {
      const streamed = streamedEvent(event, wsUrl)
      if (streamed?.kind === 'connected') say('ready')
      else if (streamed) quotes.take(streamed)
    },
  })
  process.on('SIGTERM', () => {
    tellStages()
    void stream.close().then(() => process.exit(0))
  })
}

/** What a user of the well-known library would write: wait for a price, count twenty prices from it, send them. */
async function theirs(): Promise<void> {
  const made = new (ccxt().pro.whitebit)({ apiKey: key.key, secret: key.secret, enableRateLimit: false })
  const addresses = JSON.stringify(made.urls.api)
  made.urls.api = JSON.parse(
    addresses.replaceAll('https://whitebit.com', url).replaceAll('wss://api.whitebit.com/ws', wsUrl),
  )
  await made.loadHttpProxyAgent()
  await made.loadMarkets()
  say('ready')
  for (;;) {
    const trades = await made.watchTrades('BTC/USDT:USDT')
    const orders = ladder(trades.at(-1).price)
    made.v4PrivatePostOrderCollateralBulk({ orders, stopOnFail: false }).catch(() => {})
  }
}

/** The least code: a bare socket, twenty prices in floating point, one signed request. */
function bare(): void {
  const pool = new Pool(url, { connections: 4, pipelining: 1, allowH2: false })
  const socket = new WebSocket(wsUrl, { perMessageDeflate: false })
  let nonce = Date.now()
  process.on('SIGTERM', () => {
    tellStages()
    process.exit(0)
  })
  socket.on('open', () => {
    socket.send(JSON.stringify({ id: 1, method: 'bookTicker_subscribe', params: [market] }))
    // The exchange hangs up on whoever says nothing for a minute.
    setInterval(() => socket.send('{"id":2,"method":"ping","params":[]}'), 20_000)
    say('ready')
  })
  socket.on('message', (data: Buffer) => {
    stages.begin()
    const told = JSON.parse(data.toString())
    if (told.method !== 'bookTicker_update') return
    const [[, , , , bid, , ask]] = told.params
    const { path } = contract.collateralBulk
    const orders = ladder((Number(bid) + Number(ask)) / 2)
    const body = JSON.stringify({ orders, stopOnFail: false, request: path, nonce: String((nonce += 1)) })
    const payload = Buffer.from(body).toString('base64')
    const headers = {
      'content-type': 'application/json',
      'x-txc-apikey': key.key,
      'x-txc-payload': payload,
      'x-txc-signature': createHmac('sha512', key.secret).update(payload).digest('hex'),
    }
    void pool.request({ method: 'POST', path, body, headers }).then(({ body }) => body.dump())
    stages.reached('7 all of it')
  })
}

function tellStages() {
  process.stderr.write(stages.text && `${name}\n${stages.text}`)
}

function onBroken(error: unknown): never {
  throw error
}

function ladder(middle: number) {
  return Array.from({ length: levels }, (_, level) => {
    const price = (middle * (1 - 0.001 * (level + 1))).toFixed(1)
    return { market, side: 'buy', price, amount: (300 / Number(price)).toFixed(3) }
  })
}

if (name === 'bare') bare()
else if (name === 'ccxt.pro') await theirs()
else await ours(name === 'rungs, durable')

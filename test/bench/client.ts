import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { deepEqual, equal } from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import { Log } from '#src/operate/logs/log.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { respell, orderNames } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { ccxt } from '#test/support/peers.ts'
import { medianOf } from './runner/median.ts'
import { intentJournal } from './runner/intent-journal.ts'
import { note, report } from './runner/report.ts'

/**
 * P1, P2 and P15: a signed bulk of twenty orders over loopback, ten in flight, against ccxt's class for this family of
 * venues, against the least code that does the same, and with what the bot logs about it: a line, or one for each order
 * too; and with the intent in a journal. `node test/bench/client.ts [--ours]`.
 */
const ordersPerBulk = 20
const concurrency = 10
/** Short and many: what else this machine does weighs on everybody alike, and ratios are those of one round. */
const roundMs = 500
const rounds = 24
const warmUpMs = 1500
const path = '/api/v4/order/collateral/bulk'
const credentials = { key: 'bench-key', secret: 'bench-secret' }

const orders = Array.from({ length: ordersPerBulk }, (_, rung) => ({
  market: 'BTC_PERP',
  side: 'buy' as const,
  amount: '0.02',
  price: String(60_000 - 25 * rung),
  client_order_id: `steady.low.${rung}.1`,
  postOnly: true,
}))
const results = orders.map((order, rung) => ({
  result: {
    order_id: 1_000_000_000_001 + rung,
    client_order_id: order.client_order_id,
    market: order.market,
    side: order.side,
    type: 'limit',
    timestamp: 1_790_000_000.25,
    deal_money: '0',
    deal_stock: '0',
    amount: order.amount,
    left: order.amount,
    deal_fee: '0',
    ioc: false,
    postOnly: true,
    price: order.price,
    status: 'OPEN',
    stp: 'no',
    positionSide: 'LONG',
    rpi: false,
  },
  error: null,
}))

type Contender = {
  name: string
  call(): Promise<unknown>
  /** The orders of one call, as this client gives them. */
  placed(): Promise<unknown>
  close(): Promise<void>
}

function ours(url: string): Contender {
  // On the real clock, unique milliseconds of the window would run out at a thousand calls per second.
  let tick = Date.now()
  const nonces = new Nonces({ clock: { now: () => ++tick, monotonic: () => tick }, mode: 'window' })
  const client = createClient({
    transport: httpTransport(url, { connections: concurrency }),
    key: {
      credentials: { key: credentials.key, secret: new Secret(credentials.secret) },
      nonces,
      concurrency,
    },
    keepRates: false,
  })
  const call = () => client.collateralBulk({ orders, stopOnFail: false })
  return {
    name: 'rungs',
    call,
    placed: async () => (await call()).orders.map((outcome) => outcome.kind === 'accepted' && outcome.order),
    close: () => client.close(),
  }
}

/** The same client with a log beside it. */
function logging(url: string, name: string, events: readonly BotEvent[]): Contender {
  const client = ours(url)
  const stateDir = mkdtempSync(join(tmpdir(), 'rungs-bench-'))
  const secrets = [new Secret('bench-key-0123456789abcdef'), new Secret('bench-secret-0123456789abcdef')]
  const log = new Log({ stateDir, clock: systemClock, secrets, onLost: note })
  return {
    ...client,
    name,
    call: () => {
      log.write(events)
      return client.call()
    },
    close: async () => {
      log.close()
      rmSync(stateDir, { recursive: true })
      await client.close()
    },
  }
}

/** As a bot calls it: the intent is on the disk before, and a line is logged. */
function asBot(url: string): Contender {
  const client = logging(url, bot, [sent])
  const journal = intentJournal(orders)
  return {
    ...client,
    call: () => {
      journal.store()
      return client.call()
    },
    close: async () => {
      journal.close()
      await client.close()
    },
  }
}

const at = 1_790_000_000_000
const sent: BotEvent = { type: 'bulk-sent', at, strategy: 'steady', chunk: 7, orders: ordersPerBulk }
const accepted = orders.map(({ client_order_id: order, market, side, price, amount }, rung): BotEvent => {
  const place = { strategy: 'steady', ladder: 'low', rung: String(rung), order, market, side }
  return { type: 'order-accepted', at, ...place, price, amount }
})

function bare(url: string): Contender {
  const pool = new Pool(url, { connections: concurrency, pipelining: 1, allowH2: false })
  let last = 0
  const call = async () => {
    last = Math.max(Date.now(), last + 1)
    const text = JSON.stringify({
      orders,
      stopOnFail: false,
      request: path,
      nonce: String(last),
      nonceWindow: true,
    })
    const payload = Buffer.from(text).toString('base64')
    const { body } = await pool.request({
      method: 'POST',
      path,
      body: text,
      headers: {
        'content-type': 'application/json',
        'x-txc-apikey': credentials.key,
        'x-txc-payload': payload,
        'x-txc-signature': createHmac('sha512', credentials.secret).update(payload).digest('hex'),
      },
    })
    return JSON.parse(await body.text())
  }
  return {
    name: 'bare undici',
    call,
    placed: async () => (await call()).map(resultOf),
    close: () => pool.close(),
  }
}

function resultOf(element: { result: unknown }): unknown {
  return element.result
}

function foreign(url: string): Contender {
  const exchange = new (ccxt().whitebit)({
    apiKey: credentials.key,
    secret: credentials.secret,
    enableRateLimit: false,
    options: { nonceWindow: true },
  })
  for (const scope of Object.keys(exchange.urls.api.v4))
    exchange.urls.api.v4[scope] = `${url}/api/v4/${scope}`
  exchange.urls.api.v4.private = `${url}/api/v4`
  const camel = orders.map((order) => respell(order, orderNames))
  const call = () => exchange.v4PrivatePostOrderCollateralBulk({ orders: camel, stopOnFail: false })
  return { name: 'ccxt', call, placed: async () => (await call()).map(resultOf), close: async () => {} }
}

/** Calls per second and CPU microseconds per call of this process, over one round. */
async function round(contender: Contender, forMs: number) {
  const until = performance.now() + forMs
  let calls = 0
  const cpu = process.cpuUsage()
  const began = performance.now()
  const worker = async () => {
    while (performance.now() < until) {
      await contender.call()
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const { user, system } = process.cpuUsage(cpu)
  return { rate: (calls * 1000) / (performance.now() - began), cpu: (user + system) / calls }
}

/** Every order of the contenders in turn: who runs next pays for some of the garbage of who ran before. */
function lineUp(number: number): Contender[] {
  const first = number % contenders.length
  const turned = [...contenders.slice(first), ...contenders.slice(0, first)]
  return number % 2 === 0 ? turned : turned.toReversed()
}

/** What left and what came back must be the same for all, but for spelling and for numbers told as text. */
async function checkEqual(contender: Contender, url: string): Promise<void> {
  deepEqual(asText(await contender.placed()), asText(results.map(resultOf)))
  const { head, body } = JSON.parse(await (await fetch(`${url}/last`)).text())
  const payload = Buffer.from(body).toString('base64')
  const signature = createHmac('sha512', credentials.secret).update(payload).digest('hex')
  equal(/^x-txc-payload: (.+)$/im.exec(head)?.[1], payload)
  equal(/^x-txc-signature: (.+)$/im.exec(head)?.[1], signature)
  const sent = JSON.parse(body).orders.map((order: unknown) =>
    respell(order, { clientOrderId: 'client_order_id' }),
  )
  deepEqual(sent, orders)
}

function asText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, item) => (typeof item === 'number' ? String(item) : item))
}

/** The median of what the rounds say, each of them by itself. */
function medianRatio(ours: number[], theirs: number[]): number {
  return medianOf(ours.map((value, round) => value / (theirs[round] ?? NaN)))
}

const stubFile = fileURLToPath(new URL('processes/client-stub.ts', import.meta.url))
const stub = spawn(process.execPath, [stubFile, JSON.stringify(results)], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [port] = await once(stub.stdout, 'data')
const url = `http://127.0.0.1:${String(port).trim()}`
const onlyOurs = process.argv.includes('--ours')
const [oneLine, allLines, bot] = ['and a line', 'and 21 lines', 'as a bot']
const logs = [logging(url, oneLine, [sent]), logging(url, allLines, [sent, ...accepted])]
const own = [ours(url), ...logs, asBot(url)]
const contenders = onlyOurs ? own : [...own, foreign(url), bare(url)]
const seen = new Map(contenders.map(({ name }) => [name, { rate: [] as number[], cpu: [] as number[] }]))
for (const contender of contenders) {
  await checkEqual(contender, url)
  await round(contender, warmUpMs)
}
for (let number = 0; number < rounds; number++) {
  for (const contender of lineUp(number)) {
    const { rate, cpu } = await round(contender, roundMs)
    seen.get(contender.name)?.rate.push(rate)
    seen.get(contender.name)?.cpu.push(cpu)
  }
}
const ratesOf = (name: string) => seen.get(name) ?? { rate: [], cpu: [] }
const us = ratesOf('rungs')
for (const [name, { rate, cpu }] of seen) {
  const medians = `${medianOf(rate).toFixed(0).padStart(6)} calls/s  ${medianOf(cpu).toFixed(1).padStart(6)} us CPU a call`
  const [ofCpu, ofRate] = [medianRatio(us.cpu, cpu), medianRatio(us.rate, rate)]
  note(
    `${name.padEnd(12)} ${medians}  rungs: ${ofCpu.toFixed(2)} x its CPU, ${ofRate.toFixed(2)} x its calls`,
  )
}
const ofGoal = [
  ['P1', 'rungs', 'cpu', 'CPU time of a bulk of 20 orders, against ccxt', { atMost: 0.6, wanted: 0.33 }],
  ['P1', 'rungs', 'rate', 'bulks of 20 orders, against ccxt', { atLeast: 1.7, wanted: 3 }],
  ['P2', bot, 'cpu', 'with an intent in the journal and a line of the log', { atMost: 0.8, wanted: 0.4 }],
] as const
for (const [goal, name, figure, what, limits] of onlyOurs ? [] : ofGoal) {
  const [ours, peer, floor] = [name, 'ccxt', 'bare undici'].map((each) => ratesOf(each)[figure])
  const medians = { ours: medianOf(ours!), peer: medianOf(peer!), floor: medianOf(floor!) }
  const unit = figure === 'cpu' ? 'µs' : 'calls/s'
  report({ goal, what, ...medians, ratio: medianRatio(ours!, peer!), unit, ...limits })
}
const whole = medianOf(ratesOf(bot).cpu)
for (const [name, atMost] of [
  ['a line', 0.1],
  ['21 lines', undefined],
] as const) {
  const ours = medianOf(ratesOf(`and ${name}`).cpu) - medianOf(us.cpu)
  const limits = atMost === undefined ? {} : { atMost, wanted: atMost / 2 }
  const share = { ours, floor: whole, ratio: ours / whole, unit: 'µs' }
  report({ goal: 'P15', what: `${name} of the log, as a share of P2`, ...share, ...limits })
}
for (const contender of contenders) await contender.close()
stub.kill()

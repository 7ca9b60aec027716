import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { PageFiles } from '#src/operate/dashboard/http/page-files.ts'
import type { Tables } from '#src/operate/dashboard/tables/tables.ts'
import { proofOf } from '#src/operate/dashboard/http/token.ts'
import { realTime } from '#test/support/real-time.ts'

type Changes = { [Name in keyof Tables]?: Tables[Name] }

const markets = 20
const rungsEach = 100
const at = Date.UTC(2026, 10, 21, 3)

/** Sends the tables of many markets and rungs to the page, like a dashboard. */
export class Crowd {
  readonly tables: Tables
  readonly #files = new PageFiles()
  #reader: ServerResponse | undefined
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  constructor(tables = firstTables()) {
    this.tables = tables
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener of TCP has a port
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}/#token`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Sends updates at this rate: each changes every market, two rungs of each, and the result. */
  async update(count: number, aSecond: number): Promise<void> {
    for (let number = 1; number <= count; number += 1) {
      this.tell(this.#changesOf(number))
      const last = Object.entries(this.tables.markets)
      this.#say('price', Object.fromEntries(last.map(([market, row]) => [market, [row.at, row.last]])))
      this.log({ type: 'ladder-laid', strategy: 'crowd', ladder: 'm0', market: 'M0_PERP', rungs: number })
      await realTime(1000 / aSecond)
    }
  }

  /** The latest tables, which a page gets again after a reconnection. */
  tell(set: Changes): void {
    const { rungs = {} } = set
    Object.assign(this.tables.rungs, rungs)
    this.#say('tables', { set, gone: {} })
  }

  log(event: Readonly<Record<string, unknown>>): void {
    this.#say('log', [{ level: 'info', time: new Date(at).toISOString(), at, ...event }])
  }

  #changesOf(number: number): Changes {
    const now = at + number * 20
    const { bot, strategies } = this.tables
    Object.assign(bot, { '': botRow(now) })
    Object.assign(strategies, { crowd: strategyRow(number) })
    const rungs: Record<string, Tables['rungs'][string]> = {}
    const quotes: Record<string, Tables['markets'][string]> = {}
    for (let market = 0; market < markets; market += 1) {
      quotes[`M${market}_PERP`] = marketRow(market, number)
      for (const level of [number, number + 50]) {
        const key = `crowd.m${market}.${level % rungsEach}`
        rungs[key] = rungRow(market, level % rungsEach, number)
      }
    }
    Object.assign(this.tables.rungs, rungs)
    Object.assign(this.tables.markets, quotes)
    return { bot, strategies, rungs, markets: quotes }
  }

  async #answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams } = new URL(url, 'http://127.0.0.1')
    if (path === '/proof') {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a listener of TCP has a port
      const { port } = this.#server.address() as AddressInfo
      response.end(JSON.stringify({ proof: proofOf('token', port, searchParams.get('nonce') ?? '') }))
      return
    }
    if (path === '/events') {
      this.#reader = response.writeHead(200, { 'content-type': 'text/event-stream' })
      this.#say('tables', { whole: true, set: this.tables, gone: {} })
      return
    }
    if (path === '/strategy') {
      // As hostile as the name that was asked for.
      const text = `name: ${searchParams.get('name') ?? ''}\n`
      const performance = { trades: 0, won: 0, profit: '0', profitFactor: null, days: [] }
      response.end(JSON.stringify({ text, performance }))
      return
    }
    if (path === '/candles') {
      const title = searchParams.get('strategy') ?? ''
      response.end(JSON.stringify({ candles: [], curves: [{ title, pane: 'price', points: [] }] }))
      return
    }
    const file = await this.#files.read(path === '/' ? 'index.html' : path.replace('/page/', ''))
    if (file) response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
    else response.end('[]')
  }

  #say(event: string, data: unknown): void {
    this.#reader?.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }
}

function firstTables(): Tables {
  const numbers = Array.from({ length: markets }, (_, market) => market)
  return {
    bot: { '': botRow(at) },
    strategies: { crowd: strategyRow(0) },
    markets: Object.fromEntries(numbers.map((market) => [`M${market}_PERP`, marketRow(market, 0)])),
    ladders: {},
    rungs: Object.fromEntries(
      numbers.flatMap((market) =>
        Array.from({ length: rungsEach }, (_, level) => [
          `crowd.m${market}.${level}`,
          rungRow(market, level, 0),
        ]),
      ),
    ),
    orders: {},
    holdings: {},
    pairs: {},
    limits: {},
    rules: {},
    feeds: {},
    trades: {},
    balances: {},
    values: {},
    exits: {},
    lanes: {},
  }
}

function botRow(now: number): Tables['bot'][string] {
  return {
    at: now,
    pid: 1,
    version: '0.0.0',
    venueUrl: 'http://127.0.0.1:1',
    speed: 1,
    real: false,
    waiting: 0,
    stopped: null,
    exits: 'work',
    equity: '10000',
    readAt: now,
    lost: null,
    unread: null,
    lostSince: null,
    drift: null,
    capabilities: '',
    dashboard: null,
  }
}

function strategyRow(number: number): Tables['strategies'][string] {
  return {
    running: true,
    about: null,
    halted: null,
    exits: 'work',
    pauses: null,
    result: String(number),
    drawdown: String(number),
    maxDrawdown: String(number),
    today: '0',
    fees: '0',
    pairs: 0,
    gridProfit: '0',
    floating: String(number),
    earlier: '0',
    resting: markets * rungsEach,
    sending: 0,
    doubtful: 0,
    file: null,
  }
}

function marketRow(market: number, number: number): Tables['markets'][string] {
  const last = 1000 + market * 100 + (number % 40) - 20
  return { bid: `${last}.1`, ask: `${last}.3`, last: `${last}.2`, at: at + number * 20 }
}

function rungRow(market: number, level: number, number: number): Tables['rungs'][string] {
  return {
    strategy: 'crowd',
    ladder: `m${market}`,
    level: String(level),
    market: `M${market}_PERP`,
    side: level < rungsEach / 2 ? 'buy' : 'sell',
    price: String(950 + market * 100 + level),
    amount: `0.${1000 + number}`,
    state: number % 2 === 0 ? 'resting' : 'missing',
    order: null,
    why: number % 2 === 0 ? null : `for reason ${number}`,
  }
}

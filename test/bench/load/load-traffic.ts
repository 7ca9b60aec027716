import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { Secret, signedHeaders } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { laneKeys } from './load-keys.ts'

export type Answer = { status: number; text: string; retryAfter: string | undefined }

/** One key on a connection of its own, so that its nonces arrive in the order of their sending. */
export class Caller {
  readonly key: string
  readonly #client: Client
  readonly #secret: Secret
  #nonce = 0

  constructor(url: string, key: string, pipelining = 1) {
    this.key = key
    this.#client = new Client(url, { pipelining })
    this.#secret = new Secret(`${key}-secret`)
  }

  async call(path: string, parameters: object): Promise<Answer> {
    this.#nonce = Math.max(this.#nonce + 1, Date.now())
    const body = Buffer.from(JSON.stringify({ ...parameters, request: path, nonce: String(this.#nonce) }))
    const headers = signedHeaders({ key: this.key, secret: this.#secret }, body)
    const response = await this.#client.request({ path, method: 'POST', body, headers })
    const retryAfter = response.headers['retry-after']
    const text = await response.body.text()
    return { status: response.statusCode, text, retryAfter: retryAfter?.toString() }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

const market = 'BTC_PERP'
const ordersPerBulk = 20

/** Ten asks and the ten bids that take them: all of them fill, and leave an empty book. */
function ladder(bulk: string): object {
  const orders = Array.from({ length: ordersPerBulk }, (_, index) => ({
    market,
    side: index < ordersPerBulk / 2 ? 'sell' : 'buy',
    amount: '0.001',
    price: String(60_000 + (index % (ordersPerBulk / 2))),
    client_order_id: `${bulk}.${index}`,
  }))
  return { orders }
}

/** Of four calls, one is a bulk and three are reads, as a bot makes them. */
const reads = [
  { path: contract.tradingBalance.path, parameters: { ticker: 'USDT' } },
  { path: contract.openOrders.path, parameters: { market, limit: 100 } },
  { path: contract.orderHistory.path, parameters: { market, limit: 20 } },
]

/** Receives each bulk before it is sent, and its answer. */
export type Witness = { sent(bulk: string): void; answered(bulk: string, answer: Answer): void }

export type Traffic = {
  /** Calls that were answered, of so many that were due. */
  answered: number
  due: number
  /** The most calls that were due and not answered. */
  backlog: number
  /** Milliseconds from when a call was due to its answer, of the quiet key. */
  quietMs: number[]
  /** What was not as it must be. */
  faults: string[]
}

/** The keys of one server. */
export class Site {
  readonly lanes: Caller[]
  readonly quiet: Caller
  readonly #witness: Witness
  #calls = 0

  constructor(url: string, witness: Witness) {
    this.lanes = laneKeys.map((key) => new Caller(url, key))
    this.quiet = new Caller(url, 'quiet')
    this.#witness = witness
  }

  /** The next call of the mix, by a key in turn. */
  async callNext(lane = this.#calls % this.lanes.length): Promise<string | undefined> {
    const number = this.#calls++
    const caller = this.lanes[lane]
    // Another quarter of the lanes sends the bulks in each round of them.
    const kind = (number + Math.floor(number / this.lanes.length)) % (reads.length + 1)
    const read = reads[kind]
    if (caller === undefined) return undefined
    if (read) return faultOf(await caller.call(read.path, read.parameters))
    const bulk = `${caller.key}.${number}`
    this.#witness.sent(bulk)
    const answer = await caller.call(contract.collateralBulk.path, ladder(bulk))
    this.#witness.answered(bulk, answer)
    return faultOf(answer)
  }

  /** Each lane calls again when it was answered: how many calls a second are answered at most. */
  async saturate(seconds: number): Promise<number> {
    const from = performance.now()
    const until = from + seconds * 1000
    let answered = 0
    await Promise.all(
      this.lanes.map(async (_, lane) => {
        while (performance.now() < until) {
          await this.callNext(lane)
          answered += 1
        }
      }),
    )
    return (answered * 1000) / (performance.now() - from)
  }

  /** Calls leave when they are due, whether those before them were answered or not. */
  async offer(rate: number, seconds: number): Promise<Traffic> {
    const traffic: Traffic = { answered: 0, due: 0, backlog: 0, quietMs: [], faults: [] }
    const quiet = callQuietly(this.quiet, seconds, traffic)
    const open: Promise<void>[] = []
    await pace(rate, seconds, () => {
      traffic.due += 1
      traffic.backlog = Math.max(traffic.backlog, traffic.due - traffic.answered)
      open.push(this.#count(traffic))
    })
    await Promise.all([quiet, ...open])
    return traffic
  }

  async #count(traffic: Traffic): Promise<void> {
    const fault = await this.callNext()
    traffic.answered += 1
    if (fault !== undefined) traffic.faults.push(fault)
  }

  async close(): Promise<void> {
    await Promise.all([...this.lanes, this.quiet].map((caller) => caller.close()))
  }
}

const quietPerSecond = 10
const tickMs = 5

/** Calls `due` so often a second, as many at once as have become due. */
export async function pace(perSecond: number, seconds: number, due: (at: number) => void): Promise<void> {
  const from = performance.now()
  const total = Math.floor(perSecond * seconds)
  for (let made = 0; made < total; await sleep(tickMs)) {
    const most = Math.min(total, Math.floor(((performance.now() - from) * perSecond) / 1000))
    for (; made < most; made++) due(from + (made * 1000) / perSecond)
  }
}

const quietOrder = { market, side: 'buy', amount: '0.001', price: '50000', ioc: true }
/** By turns an order that ends at once, and a read. */
const quietCalls = [
  { path: contract.collateralBulk.path, parameters: { orders: [quietOrder] } },
  { path: contract.tradingBalance.path, parameters: { ticker: 'USDT' } },
] as const

/** A key that asks for little. */
export async function callQuietly(
  caller: Caller,
  seconds: number,
  { quietMs, faults }: Pick<Traffic, 'quietMs' | 'faults'>,
): Promise<void> {
  const open: Promise<void>[] = []
  const callAt = async (at: number, { path, parameters }: (typeof quietCalls)[number]) => {
    const fault = faultOf(await caller.call(path, parameters))
    quietMs.push(performance.now() - at)
    if (fault !== undefined) faults.push(`quiet: ${fault}`)
  }
  await pace(quietPerSecond, seconds, (at) => {
    open.push(callAt(at, quietCalls[open.length % 2 === 0 ? 0 : 1]))
  })
  await Promise.all(open)
}

function faultOf({ status, text }: Answer): string | undefined {
  return status === 200 ? undefined : `${status} ${text.slice(0, 200)}`
}

/** 0.99 gives the value that one in a hundred is above. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

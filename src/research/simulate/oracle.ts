import type { OutgoingRequest } from '#src/venues/whitebit/client/transport/transport.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import type { State } from '#src/engine/state/state.ts'
import { excesses } from './bounds.ts'
import { anyMarket } from './simulated-machine.ts'
import {
  decimalText as text,
  KnownOrders,
  openOrders,
  positions,
  product,
  quanta,
  type OpenOrder,
  type RawRead,
} from './oracle-ledger.ts'

const summaryPath = '/api/v4/collateral-account/summary'
export const bulkPath = '/api/v4/order/collateral/bulk'
const conditionalPath = '/api/v4/order/collateral/trigger-market'
const amendPath = '/api/v4/order/modify'
/** Requests that the trading process may send; all others move money or settings. */
const allowed = new Set([
  bulkPath,
  conditionalPath,
  amendPath,
  '/api/v4/order/cancel',
  '/api/v4/order/cancel/bulk',
  '/api/v4/order/cancel/all',
  '/api/v4/order/kill-switch',
  '/api/v4/order/kill-switch/status',
  '/api/v4/orders',
  '/api/v4/trade-account/order/history',
  '/api/v4/trade-account/executed-history',
  '/api/v4/trade-account/order',
  '/api/v4/collateral-account/balance',
  '/api/v4/collateral-account/balance-summary',
  summaryPath,
  '/api/v4/collateral-account/hedge-mode',
  '/api/v4/collateral-account/positions/open',
  '/api/v4/collateral-account/funding-history',
  '/api/v4/collateral-account/positions/history',
  '/api/v4/main-account/smart-flex/plans',
  '/api/v4/main-account/smart-flex/investments',
  '/api/v4/main-account/smart-flex/investments/invest',
  '/api/v4/main-account/balance',
  '/api/v4/trade-account/balance',
  '/api/v4/profile/websocket_token',
])
/** Tolerance for the age of a price, because a request leaves later than its decision. */
const ageSlackMs = 2000
const paceSlackMs = 100
const refusalsMost = 12
/** An order that follows the market to another price does not repeat the refused one; a slide by some ticks does. */
const nearShare = 0.001
/** A plain positive decimal, without a sign, an exponent or zeros in front. */
const amountText = /^(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/

/** By market: money, or a share of the equity. */
export type Limits = ReadonlyMap<string, bigint | { ofEquity: bigint }>

/** Rate limit and maximum price ages of the strategy file. */
export type StrategyPromises = {
  rate: { requests: number; perMs: number }
  /** Maximum age of the price, by market. */
  staleMs: ReadonlyMap<string, number>
}
/** Time of a request, and signed requests of the process without an answer. */
export type Departure = { at: number; unanswered: number; receivedAt: ReadonlyMap<string, number> }

type SentOrder = { id: string; market: string; text: { price: unknown; amount: unknown } }

/**
 * Checks the invariants of a trading process (I1 to I20) by its requests and by the account at the exchange. It shares no
 * code with the bot or with the trading of the exchange.
 */
export class Oracle {
  readonly violations: string[] = []
  /** State of the running process; undefined without one. */
  state: () => State | undefined = () => undefined
  /** Requests that wait in the client of the process. */
  waiting: () => number = () => 0
  /** Time of the last signed request that a process sent. */
  signedAt = -Infinity
  /** What may not be sent since the operator's command was confirmed. */
  halted: 'nothing' | 'entries' | 'all' = 'nothing'
  /** Orders that the exchange accepted, with their number. */
  readonly accepted = new Map<string, number>()
  readonly #read: RawRead
  /** `risk.max_notional` by market. */
  readonly #limits: Limits
  /** The highest equity that the exchange has told: after a fall, open orders may exceed the share. */
  #equity = 0n
  readonly #isStrict: boolean
  readonly #promised: StrategyPromises
  /** Times of bulks. */
  readonly #departures: number[] = []
  /** Consecutive refusals near one price, by label. */
  readonly #refused = new Map<string, { refusals: number; price: number }>()
  readonly #durable = new Set<string>()
  #lastNonce = 0n
  readonly #signatures = new Set<string>()

  constructor(about: { read: RawRead; limits: Limits; promised: StrategyPromises; isStrict: boolean }) {
    this.#read = about.read
    this.#limits = about.limits
    this.#promised = about.promised
    this.#isStrict = about.isStrict
  }

  fail(invariant: string, what: string): void {
    const text = `${invariant}: ${what}`
    if (this.violations.length < 20 && !this.violations.includes(text)) this.violations.push(text)
  }

  /** The journal has these orders on disk. */
  durable(ids: readonly string[]): void {
    for (const id of ids) this.#durable.add(id)
  }

  /** A request leaves a process. */
  sent({ path, body }: OutgoingRequest, departure: Departure): void {
    if (!path.includes('/public/') && !allowed.has(path)) this.fail('I19', `the bot calls ${path}`)
    if (body.length === 0) return
    this.signedAt = departure.at
    const { nonce } = parsed(body)
    if (typeof nonce === 'string' && this.#isStrict) {
      if (BigInt(nonce) <= this.#lastNonce) this.fail('I6', `nonce ${nonce} follows ${this.#lastNonce}`)
      this.#lastNonce = BigInt(nonce)
      if (departure.unanswered > 0)
        this.fail('I6', `${path} leaves while ${departure.unanswered} wait for answers`)
    }
    if (!placesOrders(path)) return
    if (this.halted === 'all') this.fail('I16', 'orders are sent although the operator has halted all')
    this.#pace(departure.at)
    for (const { id, market } of ordersIn(body)) {
      if (this.halted === 'entries' && isEntry(id))
        this.fail('I16', `the entry ${id} is sent although the operator has closed all positions`)
      const staleMs = this.#promised.staleMs.get(market)
      const { at, receivedAt } = departure
      const age = at - Math.max(receivedAt.get(market) ?? -Infinity, receivedAt.get(anyMarket) ?? -Infinity)
      if (staleMs !== undefined && isEntry(id) && age > staleMs + ageSlackMs)
        this.fail('I17', `${id} is sent ${age} ms after the last price of ${market}`)
    }
  }

  /** Entries may use the rate of the file, and exits as much again. */
  #pace(at: number): void {
    const { requests, perMs } = this.#promised.rate
    const most = 2 * requests
    const first = this.#departures.at(-most)
    if (first !== undefined && at - first < perMs - paceSlackMs)
      this.fail('I7', `${most + 1} bulks leave within ${at - first} ms`)
    this.#departures.push(at)
  }

  /** A request reaches the exchange. */
  arrived({ path, body }: WireRequest): void {
    if (!placesOrders(path)) return
    for (const { id, text } of ordersIn(body)) {
      if (!this.#durable.has(id)) this.fail('I2', `${id} arrives and is not on the disk of the bot`)
      for (const value of Object.values(text))
        if (typeof value !== 'string' || !amountText.test(value) || quanta(value) === 0n)
          this.fail('I12', `${id} is sent with ${String(value)}`)
    }
  }

  /** The exchange has executed or refused a request, and has committed it. */
  executed({ path, body, headers }: WireRequest, response: WireResponse): void {
    if (response.status >= 300) return
    if (path === summaryPath) this.#sawEquity(response)
    if (!placesOrders(path)) return
    const signature = `${headers['x-txc-payload']}`
    if (this.#signatures.has(signature)) this.fail('I5', 'one signed request is executed twice')
    this.#signatures.add(signature)
    this.#placed(body, response)
  }

  #sawEquity(response: WireResponse): void {
    const { equity }: { equity: string } = JSON.parse(response.body)
    // A debt allows nothing.
    const known = equity.startsWith('-') ? 0n : quanta(equity)
    if (known > this.#equity) this.#equity = known
  }

  #placed(body: Uint8Array, response: WireResponse): void {
    const orders = ordersIn(body)
    const read: { result: unknown }[] | object = JSON.parse(response.body)
    // A refusal of a single order may have the status of an acceptance.
    const answer = Array.isArray(read) ? read : [{ result: 'order_id' in read ? read : null }]
    let failed = false
    for (const [n, { result }] of answer.entries()) {
      const id = orders[n]?.id ?? '?'
      const label = labelOf(id)
      if (result === null) {
        failed = true
        const price = Number(orders[n]?.text.price)
        const before = this.#refused.get(label)
        const isNear = before !== undefined && Math.abs(price / before.price - 1) < nearShare
        const refusals = isNear ? before.refusals + 1 : 1
        this.#refused.set(label, { refusals, price: isNear ? before.price : price })
        if (refusals > refusalsMost) this.fail('I20', `${label} is refused ${refusals} times near ${price}`)
        continue
      }
      this.#refused.delete(label)
      if (failed && parsed(body)['stopOnFail'] === true)
        this.fail('I5', `${id} is placed behind a failed order`)
      const times = (this.accepted.get(id) ?? 0) + 1
      this.accepted.set(id, times)
      if (times > 1) this.fail('I1', `${id} is placed ${times} times`)
    }
  }

  /** Compares the open orders at the exchange with the limits and with the state of the bot. */
  check(): void {
    const resting = openOrders(this.#read)
    const alive = new Map<string, string>()
    const state = this.state()
    const known = new KnownOrders(state)
    for (const { id, venueId } of resting) {
      const label = labelOf(id)
      const other = alive.get(label)
      if (other !== undefined) this.fail('I1', `${id} and ${other} are open at once`)
      alive.set(label, id)
      if (state === undefined) continue
      const orders = known.mayBe(id, venueId)
      if (orders.length === 0) this.fail('I4', `${id} is open at the exchange, and the bot does not know it`)
      else if (orders.every(({ status }) => status === 'ended'))
        this.fail('I4', `${id} is open at the exchange, and the bot says that it has ended`)
    }
    this.#exposure(resting)
    if (state === undefined) return
    for (const each of excesses(state, { waiting: this.waiting(), reads: allowed.size }))
      this.fail('I18', each)
  }

  /** Exposure of a market: the larger side of the position plus all open orders of that side. */
  #exposure(resting: readonly OpenOrder[]): void {
    if (this.#limits.size === 0) return
    const held = new Map(positions(this.#read).map((each) => [each.market, each.cost]))
    for (const [market, most] of this.#limits) {
      const limit = typeof most === 'bigint' ? most : product(most.ofEquity, this.#equity)
      const cost = held.get(market) ?? 0n
      let [long, short] = [cost, -cost]
      for (const { market: where, sells, left, price, reduces } of resting) {
        if (where !== market || reduces) continue
        if (sells) short += product(left, price)
        else long += product(left, price)
      }
      const stake = long > short ? long : short
      // The base price of a position has eight decimals.
      if (stake > limit + limit / 1_000_000n)
        this.fail('I3', `${market} is exposed with ${text(stake)} of at most ${text(limit)}`)
    }
  }
}

export function placesOrders(path: string): boolean {
  return path === bulkPath || path === conditionalPath || path === amendPath
}

/** What stands for an order that replaces another one: its request has no client order id. */
export function amendmentId(venueId: string, { price, amount }: { price: string; amount: string }): string {
  return `${amendment}${venueId} by ${amount} at ${price}`
}

const amendment = 'amendment of '

/** Those of a bulk, or a conditional order. */
function ordersIn(body: Uint8Array): SentOrder[] {
  const whole = parsed(body)
  const { orders = [whole] } = whole
  if (!Array.isArray(orders)) return []
  return orders.map((order: Record<string, unknown>) => ({
    id: 'order_id' in order ? amendmentOf(order) : String(order['client_order_id']),
    market: String(order['market']),
    text: { price: order['price'] ?? order['activation_price'], amount: order['amount'] },
  }))
}

function amendmentOf({ order_id, price, amount }: Record<string, unknown>): string {
  return amendmentId(String(order_id), { price: String(price), amount: String(amount) })
}

function parsed(body: Uint8Array): Record<string, unknown> {
  const value: Record<string, unknown> = JSON.parse(Buffer.from(body).toString())
  return value
}

/** An id of a rung: exits have labels with other letters in front. */
function isEntry(id: string): boolean {
  return id.startsWith(amendment) || /^[^.]+\.[^.]+\.[bs]?\d+\.[^.]+$/.test(id)
}

/** An id without the number of its generation. */
function labelOf(id: string): string {
  if (id.startsWith(amendment)) return id
  return id.replace(/\.[^.]+$/, '')
}

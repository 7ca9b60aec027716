import type { Clock } from '#src/core/time/clock.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { sameNumber } from '#src/core/money/decimal-text.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import type { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { publicRequest, signedRequest } from '#src/venues/whitebit/client/calls/signed-request.ts'
import { readAnswer, type AnswerVerdict } from '#src/venues/whitebit/client/answers/answer.ts'
import type { OutgoingRequest, Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { contract, type Contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { methodOf, type Endpoint, type ReadOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { signedHeaders, type Credentials } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import type {
  ProbeAnswer,
  ProbeResult,
  ProbeStep,
  ProbeSteps,
} from '#src/venues/whitebit/probe/experiment.ts'
import { probePrefix, type ProbeOrder } from '#src/venues/whitebit/probe/probe-orders.ts'
import {
  elementsIn,
  onlyOrderIn,
  ordersIn,
  refusalIn,
  type ProbedOrder,
} from '#src/venues/whitebit/probe/probe-answers.ts'
import type { NoteMemory, ProbeNote } from './probe-note.ts'

/** The venue gave no answer that an experiment could read. Of a write, the outcome is unknown. */
export class NoProbeAnswer extends Error {}

export type DriverOptions = {
  transport: Transport
  clock: Clock
  /** Of mode window: they stay within seconds of the clock, and rise. */
  nonces: Nonces
  credentials: Credentials
  note: NoteMemory
  url: string
  /** The longest time from a request until lists show its effect. */
  settleMs: number
}

type Parameters = Readonly<Record<string, unknown>>
type Wire = { spelling?: Spelling | undefined; nonce?: string; nonceWindow?: true; blanks?: boolean }
type Sent = { response: WireResponse; sentAt: number; at: number }

const callMsMax = 15_000
const readAttempts = 4
const pauseMs = 1000
const pageLength = 100
/** After the settle time, an order that stays listed is left to the operator. */
const clearMsMax = 60_000
/** A list may come from a cache: one reading proves nothing. */
const looksLeast = 2

/** Carries the steps of experiments to the venue. It notes each order before it sends it, and cancels what is open. */
export class ProbeDriver {
  /** Of requests, from the experiment about it on. */
  spelling: Spelling = 'spec'
  /** Orders that were cancelled. */
  cancelled = 0
  readonly #about: DriverOptions
  readonly #open = new Map<number, string>()
  #note: ProbeNote | undefined
  /** Unix milliseconds until which an order of unknown outcome can appear. */
  #unclearUntil = 0

  constructor(about: DriverOptions) {
    this.#about = about
    this.#note = about.note.load()
    if (this.#note === undefined) return
    if (this.#note.url !== about.url)
      throw new BotError('DATA_FOREIGN', {
        seen: `an earlier probe with this key was interrupted at ${this.#note.url}, not at ${about.url}`,
        fix: `Run rungs doctor --probe --clean with the venue file of ${this.#note.url}`,
      })
    this.#unclearUntil = this.#note.at + callMsMax + about.settleMs
  }

  /** Orders of this probe, or of an earlier one that was interrupted, may be open. */
  get isUnfinished(): boolean {
    return this.#note !== undefined
  }

  /** The outcome of an order is unknown. */
  get isUnclear(): boolean {
    return this.#unclearUntil > 0
  }

  /** Runs an experiment, and cancels its orders. */
  async run(steps: ProbeSteps): Promise<ProbeResult[]> {
    try {
      for (let next = steps.next(); ; next = steps.next(await this.#carry(next.value))) {
        if (next.done === true) return [next.value].flat()
      }
    } finally {
      for (const orderId of this.#open.keys()) await this.#cancel(orderId)
    }
  }

  /** The answer to a read, as the client reads it. */
  async read<Name extends EndpointName>(
    name: Name,
    parameters: Parameters = {},
  ): Promise<AnswerVerdict<ReadOf<Contract[Name]>>> {
    const { response, sentAt, at } = await this.#readRaw(name, parameters, {})
    const verdict = readAnswer(contract[name], response, parameters)
    if (name === 'time' && verdict.kind === 'answer') {
      const { time } = contract.time.response.parse(verdict.value)
      this.#about.nonces.setVenueTime(time * 1000, at - sentAt)
    }
    return verdict
  }

  /** Cancels the orders of all probes with this key. Reads the open orders until the list has none and none can appear. */
  async clear(): Promise<void> {
    const { clock, note } = this.#about
    const endAt = clock.monotonic() + Math.max(0, this.#unclearUntil - clock.now()) + clearMsMax
    for (let empty = 0; empty < looksLeast || clock.now() < this.#unclearUntil;) {
      const own = await this.#ownOrders()
      empty = own.length === 0 ? empty + 1 : 0
      for (const { order_id, market } of own) {
        this.#open.set(order_id, market)
        await this.#cancel(order_id)
      }
      if (clock.monotonic() > endAt)
        throw new NoProbeAnswer(`the venue still lists ${own.length} orders of the probe`)
      if (empty < looksLeast || clock.now() < this.#unclearUntil) await clock.sleep(pauseMs)
    }
    note.remove()
    this.#note = undefined
    this.#unclearUntil = 0
  }

  async close(): Promise<void> {
    await this.#about.transport.close()
    this.#about.nonces.close()
  }

  async #carry(step: ProbeStep): Promise<ProbeAnswer> {
    switch (step.do) {
      case 'wait': {
        const sentAt = this.#about.clock.monotonic()
        await this.#about.clock.sleep(step.ms)
        return { status: 0, body: undefined, sentAt, at: this.#about.clock.monotonic() }
      }
      case 'cancel':
        return this.#cancel(step.orderId)
      case 'place':
        return this.#place(step)
      case 'amend':
        return this.#amend(step)
      case 'ask': {
        const wire = { blanks: step.blanks === true }
        if (step.olderNonce !== true) return answerOf(await this.#readRaw(step.call, step.parameters, wire))
        const nonce = await this.#nonce(contract[step.call])
        await this.#readRaw(step.call, step.parameters, {})
        return answerOf(await this.#send(contract[step.call], step.parameters, { nonce, nonceWindow: true }))
      }
    }
  }

  async #place({ orders, stopOnFail, spelling }: ProbeStep & { do: 'place' }): Promise<ProbeAnswer> {
    this.#noteDown(orders)
    const wire = { orders, ...(stopOnFail !== undefined && { stopOnFail }) }
    const sent = await this.#write(contract.collateralBulk, wire, { spelling })
    const answer = answerOf(sent)
    const elements = elementsIn(answer) ?? []
    for (const { order } of elements) if (order) this.#keepOpen(order)
    // What is neither an order nor a refusal may have been placed.
    if (elements.some(({ order, refusal }) => !order && !refusal)) this.#becomeUnclear()
    return answer
  }

  /** A venue may end the old order, or leave it: both are cancelled at the end. */
  async #amend({ orderId, order }: ProbeStep & { do: 'amend' }): Promise<ProbeAnswer> {
    this.#noteDown([order])
    const { market, price, amount } = order
    const change = { market, order_id: orderId, amount, price }
    const answer = answerOf(await this.#write(contract.modifyOrder, change, {}))
    const amended = onlyOrderIn(answer)
    if (amended) this.#keepOpen(amended)
    else if (!refusalIn(answer.body)) this.#becomeUnclear()
    return answer
  }

  #keepOpen({ order_id, market, status }: ProbedOrder): void {
    if (!/cancel/i.test(status)) this.#open.set(order_id, market)
  }

  #noteDown(orders: readonly ProbeOrder[]): void {
    const { clock, note, url } = this.#about
    const earlier = this.#open.size > 0 || this.#unclearUntil > 0 ? (this.#note?.orders ?? []) : []
    const placed = orders.map(({ market, side, price, amount }) => ({ market, side, price, amount }))
    this.#note = { url, at: clock.now(), orders: [...earlier, ...placed] }
    note.save(this.#note)
  }

  /** Cancels an order. If the venue does not confirm it, the last reading finds the order. */
  async #cancel(orderId: number): Promise<ProbeAnswer> {
    const market = this.#open.get(orderId)
    const answer = answerOf(await this.#write(contract.cancelOrder, { market, order_id: orderId }, {}))
    this.#open.delete(orderId)
    if (answer.status === 200 && !refusalIn(answer.body)) this.cancelled += 1
    return answer
  }

  async #ownOrders(): Promise<ProbedOrder[]> {
    const own: ProbedOrder[] = []
    for (let offset = 0; ; offset += pageLength) {
      const answer = answerOf(await this.#readRaw('openOrders', { limit: pageLength, offset }, {}))
      const list = ordersIn(answer)
      if (list === undefined)
        throw new NoProbeAnswer(`the list of open orders was answered with status ${answer.status}`)
      own.push(...list.filter((order) => this.#isOwn(order)))
      if (list.length < pageLength) return own
    }
  }

  #isOwn({ client_order_id, market, side, price, amount }: ProbedOrder): boolean {
    if (client_order_id !== '') return client_order_id.startsWith(probePrefix)
    return (this.#note?.orders ?? []).some(
      (each) =>
        each.market === market &&
        each.side === side &&
        sameNumber(each.price, price) &&
        sameNumber(each.amount, amount),
    )
  }

  async #readRaw(name: EndpointName, parameters: Parameters, wire: Wire): Promise<Sent> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(contract[name], parameters, wire)
      } catch (error) {
        if (!(error instanceof NoProbeAnswer) || attempt === readAttempts) throw error
        await this.#about.clock.sleep(pauseMs)
      }
    }
  }

  async #write(row: Endpoint, parameters: Parameters, wire: Wire): Promise<Sent> {
    try {
      return await this.#send(row, parameters, wire)
    } catch (error) {
      if (error instanceof NoProbeAnswer) this.#becomeUnclear()
      throw error
    }
  }

  #becomeUnclear(): void {
    this.#unclearUntil = this.#about.clock.now() + callMsMax + this.#about.settleMs
  }

  async #send(
    row: Endpoint,
    parameters: Parameters,
    { spelling, nonce, nonceWindow, blanks }: Wire,
  ): Promise<Sent> {
    const { transport, credentials, clock } = this.#about
    const isPublic = methodOf(row) === 'GET'
    const plain = isPublic
      ? publicRequest(row, parameters)
      : signedRequest(row, parameters, {
          credentials,
          nonce: nonce ?? (await this.#nonce(row)),
          nonceWindow: nonceWindow === true,
          spelling: spelling ?? this.spelling,
        })
    const request = blanks === true ? withBlanks(plain, credentials) : plain
    const sentAt = clock.monotonic()
    const delivery = await transport.send(request, callMsMax)
    if (delivery.kind !== 'answered') throw new NoProbeAnswer(delivery.reason)
    const { response } = delivery
    const isOfGateway =
      response.status >= 500 || (response.status === 429 && jsonIn(response.body) === undefined)
    if (isOfGateway) throw new NoProbeAnswer(`the venue answered with status ${response.status}`)
    return { response, sentAt, at: clock.monotonic() }
  }

  /** Waits until the next nonce is near the present time. */
  async #nonce({ path }: Endpoint): Promise<string> {
    const { nonces, clock } = this.#about
    for (let ms = nonces.wait(); ms > 0; ms = nonces.wait()) await clock.sleep(ms)
    return nonces.next(path)
  }
}

function answerOf({ response, sentAt, at }: Sent): ProbeAnswer {
  return { status: response.status, body: jsonIn(response.body), sentAt, at }
}

/** The same call with a blank after each colon and line. */
function withBlanks(request: OutgoingRequest, credentials: Credentials): OutgoingRequest {
  const body = Buffer.from(JSON.stringify(jsonIn(Buffer.from(request.body).toString()), null, 1))
  return { ...request, headers: signedHeaders(credentials, body), body }
}

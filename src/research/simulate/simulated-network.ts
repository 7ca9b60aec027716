import type { Transport, Delivery, OutgoingRequest } from '#src/venues/whitebit/client/transport/transport.ts'
import type { OpenSocket } from '#src/venues/whitebit/client/streams/socket.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import type { SeededRandom } from './seeded-random.ts'
import { callFaults, type FaultPlan } from './faults.ts'
import { anyMarket, never, type SimulatedMachine } from './simulated-machine.ts'
import { bulkPath, placesOrders, type Oracle } from './oracle.ts'
import type { SimulatedExchange } from './simulated-exchange.ts'
import type { SimulatedTime } from './simulated-time.ts'

const latencyMs = [1, 80] as const
const lateMsUsually = [5000, 60_000] as const
/** A frame with prices of a market. */
const priceFrame =
  /"method":"(?:depth|bookTicker|lastprice|market|candles|trades)_update".*?"([A-Z0-9]+_[A-Z0-9]+)"/

type About = {
  time: SimulatedTime
  venue: SimulatedExchange
  plan: FaultPlan
  dice: SeededRandom
  oracle: Oracle
  trace: (line: string) => void
  /** How late a request arrives that is delivered late: from 5 to 60 s unless given. */
  lateMs?: readonly [least: number, most: number]
}

/** The network between the bot and the exchange, with latency and faults. */
export class SimulatedNetwork {
  /** The connection is refused, or nothing answers. */
  outage: 'refused' | 'silent' | undefined
  /** Requests that the bot has sent. */
  calls = 0
  #frames = 0
  /** Requests that wait for the next one to overtake them. */
  #overtaken: (() => void)[] = []
  readonly #about: About

  constructor(about: About) {
    this.#about = about
  }

  transport(machine: SimulatedMachine): Transport {
    return {
      send: (request, withinMs) => this.#send(machine, request, withinMs),
      close: async () => {},
    }
  }

  #send(machine: SimulatedMachine, request: OutgoingRequest, withinMs: number): Promise<Delivery> {
    const { time, plan, oracle } = this.#about
    const step = request.path.replace(/^\/api\/v4\//, '')
    if (!machine.operation(`send ${step}`)) return never()
    this.calls += 1
    const call = this.calls
    const isSigned = request.body.length > 0
    oracle.sent(request, { at: time.elapsed, unanswered: machine.unanswered, receivedAt: machine.receivedAt })
    if (isSigned) machine.unanswered += 1
    return new Promise((resolve) => {
      let isSettled = false
      const settle = (delivery: Delivery) => {
        if (isSettled) return
        isSettled = true
        cancel()
        machine.deliver(() => {
          if (isSigned) machine.unanswered -= 1
          else if (delivery.kind === 'answered') machine.receivedAt.set(anyMarket, time.elapsed)
          if (machine.operation(`answer ${step}`)) resolve(delivery)
        })
      }
      const cancel = time.after(withinMs, () =>
        settle({ kind: 'unanswered', reason: 'No complete answer before the deadline' }),
      )
      if (this.outage === 'refused') {
        time.after(this.#latency(call, 0), () => settle({ kind: 'not-sent', reason: 'Connection refused' }))
        return
      }
      if (this.outage === 'silent') return
      this.#carry(
        call,
        { ...request, origin: '127.0.0.1' },
        plan.call(call, step, request.path === bulkPath),
        settle,
      )
    })
  }

  #carry(
    call: number,
    request: WireRequest,
    fault: keyof typeof callFaults | undefined,
    settle: (delivery: Delivery) => void,
  ): void {
    const { time, venue, dice, oracle, lateMs = lateMsUsually } = this.#about
    const effect = fault === undefined ? usual : callFaults[fault]
    const [there, back] = [this.#latency(call, 0), this.#latency(call, 1)]
    const reply = (response: WireResponse) => time.after(back, () => settle({ kind: 'answered', response }))
    const broken = () =>
      time.after(back, () => settle({ kind: 'unanswered', reason: 'The connection broke' }))
    const { answer } = effect

    const answered = (response: WireResponse, nth: 1 | 2) => {
      if (typeof answer === 'function') {
        if (nth === 1) reply(answer({ response, unit: dice.unit('cut', call) }))
      } else if (answer === 'true' && nth === 1) reply(response)
      else if (answer === 'second' && nth === 2) reply(response)
      else if (answer === 'nothing' && nth === 1) broken()
    }
    const arrive = (nth: 1 | 2) => {
      if ('overtaken' in effect) this.#overtake(request)
      this.#execute(request, (response) => {
        if (!('restart' in effect) || effect.restart === 'committed') {
          venue.commit()
          oracle.executed(request, response)
        }
        if ('restart' in effect) venue.restart()
        if (isChange(request) || 'restart' in effect) oracle.check()
        answered(response, nth)
      })
      const overtaken = this.#overtaken
      this.#overtaken = []
      for (const act of overtaken) act()
    }

    switch (effect.reaches) {
      case 'never':
        if (answer === 'not sent')
          time.after(there, () => settle({ kind: 'not-sent', reason: 'Connection refused' }))
        else if (typeof answer === 'function')
          time.after(there, () =>
            reply(answer({ response: { status: 200, headers: {}, body: '' }, unit: 0 })),
          )
        else if (answer === 'nothing') broken()
        return
      case 'now':
        time.after(there, () => arrive(1))
        return
      case 'late':
        broken()
        time.after(dice.whole(...lateMs, 'late', call), () => arrive(1))
        return
      case 'twice':
        time.after(there, () => arrive(1))
        time.after(there + dice.whole(0, 500, 'again', call), () => arrive(2))
        return
      case 'after the next request': {
        const act = once(() => arrive(1))
        this.#overtaken.push(act)
        time.after(there + 2000, act)
        return
      }
    }
  }

  #execute(request: WireRequest, answered: (response: WireResponse) => void): void {
    const { venue, oracle, time, trace } = this.#about
    oracle.arrived(request)
    const done = (response: WireResponse) => {
      trace(
        `${time.elapsed} ${request.path} ${Buffer.from(request.body).toString()} ${response.status} ${response.body}\n`,
      )
      answered(response)
    }
    const refused = venue.handle(request, (execution) => done(execution()))
    if (refused !== undefined) done(refused)
  }

  /** Another program with the same key sends a read with a later nonce. */
  #overtake(request: WireRequest): void {
    const { venue } = this.#about
    if (request.body.length === 0) return
    const { nonce }: { nonce: string } = JSON.parse(Buffer.from(request.body).toString())
    const path = '/api/v4/collateral-account/balance'
    const body = Buffer.from(JSON.stringify({ request: path, nonce: String(Number(nonce) + 100) }))
    const headers = { ...request.headers, 'x-txc-payload': body.toString('base64') }
    venue.handle({ ...request, path, headers, body }, (execution) => execution())
  }

  /** Sockets of one process, whose frames can be lost, late, doubled or garbled. */
  sockets(machine: SimulatedMachine): OpenSocket {
    const { time, venue, dice, plan } = this.#about
    return (_url, on) => {
      let entered: ReturnType<SimulatedExchange['enter']> | undefined
      let isOver = false
      let isSilent = false
      let dueAt = 0
      const later = (act: () => void, ms: number) => {
        dueAt = Math.max(dueAt, time.elapsed + ms)
        time.after(dueAt - time.elapsed, () => machine.deliver(act))
      }
      const over = (reason: string) => {
        if (isOver) return
        isOver = true
        entered?.leave()
        later(() => on.over(reason), 1)
      }
      const frame = (text: string) => {
        if (isOver || isSilent || this.outage !== undefined) return
        this.#frames += 1
        const number = this.#frames
        const pass = (frame = text, ms = this.#latency(number, 2)) =>
          later(() => {
            const [, market] = priceFrame.exec(frame) ?? []
            if (market !== undefined) machine.receivedAt.set(market, time.elapsed)
            on.frame(frame)
          }, ms)
        const effects = {
          'stream cut': () => over('The connection broke'),
          'stream silent': () => (isSilent = true),
          'frame doubled': () => [pass(), pass()],
          'frame lost': () => {},
          'frame late': () => pass(text, dice.whole(500, 8000, 'late frame', number)),
          'frame garbled': () => pass(text.slice(0, dice.unit('cut frame', number) * text.length)),
        }
        const fault = plan.frame(number, methodOf(text))
        if (fault === undefined) pass()
        else effects[fault]()
      }
      time.after(this.#latency(this.calls, 3), () => {
        if (this.outage === 'refused') return over('Connection refused')
        if (this.outage === 'silent') return over('No connection in time')
        if (isOver || machine.status === 'dead') return
        entered = venue.enter({ frame, over })
        later(() => on.open(), 1)
      })
      machine.onKilled(() => {
        isOver = true
        entered?.leave()
      })
      return {
        send: (text) => {
          if (!machine.operation('message')) return
          time.after(this.#latency(this.calls, 4), () => {
            if (!isOver && this.outage === undefined) entered?.hear(text)
          })
        },
        end: () => over('Closed by the bot'),
      }
    }
  }

  #latency(index: number, draw: number): number {
    return this.#about.dice.whole(...latencyMs, 'latency', index, draw)
  }
}

const usual = { reaches: 'now', answer: 'true' } as const

/** The method of a frame, such as `depth_update`; only replies have none. */
function methodOf(frame: string): string {
  return /"method":"(\w+)"/.exec(frame)?.[1] ?? 'reply'
}

/** Whether the call can change open orders. */
function isChange({ path }: WireRequest): boolean {
  return placesOrders(path) || path.startsWith('/api/v4/order/cancel')
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}

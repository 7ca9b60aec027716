import { methodOf, type Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { knownFields } from '#src/venues/whitebit/contract/wire/known-fields.ts'
import { readPublicCall, stemOf } from '#src/venues/whitebit/contract/wire/public-call.ts'
import { gateRefusals, publicRefusals, type ApiRefusal } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type {
  DirectAnswer,
  DirectCall,
  WireRequest,
  WireResponse,
} from '#src/venues/whitebit/contract/wire/wire.ts'
import { payUntil } from '#src/exchange/account-data/earnings.ts'
import {
  Door,
  formProblems,
  queryCharactersMax,
  unfit,
  type Admitted,
} from '#src/exchange/http/request-gate.ts'
import { parameterProblems } from '#src/exchange/handlers/trading/parameter-problems.ts'
import { handlers, publicHandlers, type PublicName } from '#src/exchange/handlers/handler-table.ts'
import { beginSimulation, noSimulation } from '#src/exchange/simulation/begin-simulation.ts'
import { restMarkets, startMarketSimulation } from '#src/exchange/simulation/market-simulation.ts'
import type { PaidThen } from '#src/exchange/trading/positions/funding-times.ts'
import { settleFunding } from '#src/exchange/trading/positions/funding.ts'
import { runKillSwitches } from '#src/exchange/trading/orders/kill-switches.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import { useNonce } from '#src/exchange/http/nonces.ts'
import { cancelDeposit, noticeSent } from '#src/exchange/account-data/deposit-notices.ts'
import {
  answerResponse,
  publicRefusal,
  publicResponse,
  publicTooMany,
  refusalResponse,
} from '#src/exchange/http/responses.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import { openContext } from './open-context.ts'
import { beginState, type ExchangeState } from './state.ts'
import {
  RefusedCall,
  ValueAnswer,
  type AnyHandler,
  type AnyPublicHandler,
  type Entry,
  type PrivateName,
  type Profile,
  type VenueContext,
} from './venue-context.ts'

/** An admitted private call that waits for its execution. */
export type Waiting = { row: Endpoint; name: PrivateName; admitted: Admitted }

const handlerOf: Record<PrivateName, AnyHandler> = handlers
const publicHandlerOf: Record<PublicName, AnyPublicHandler> = publicHandlers

/** The exchange without sockets: a call and a time in, its answer out. It reads no clock, no file and no network. */
export class Exchange {
  readonly state: ExchangeState
  readonly venue: VenueContext
  readonly #simulation: ReturnType<typeof startMarketSimulation> | undefined
  readonly #paysFunding: boolean
  readonly #recordedFunding: PaidThen | undefined
  readonly #door: Door
  readonly #routes: ReadonlyMap<string, EndpointName>

  constructor(options: ExchangeOptions) {
    const { world, sources = noSimulation } = options
    this.state =
      typeof options.begin === 'number' ? beginState(world, options.seed, options.begin) : options.begin
    if (typeof options.begin === 'number') beginSimulation(this.state, world, sources)
    this.venue = openContext(options, this.state, (market) => this.#simulation?.recorded?.record(market))
    const { trading, profile } = this.venue
    this.#simulation = this.state.flow && startMarketSimulation(trading, this.state.flow, sources.recorded)
    this.#paysFunding = trading.markets.some(({ rules }) => rules.kind === 'futures')
    this.#recordedFunding = sources.recorded?.funding
    this.#door = new Door(this.venue)
    this.#routes = routesOf(profile)
  }

  /** Advances the time, never backwards, and runs all that fell due before. Returns the time of the exchange. */
  advance(now: number): number {
    const at = this.pass(now)
    this.#simulation?.recorded?.quote(at)
    return at
  }

  /** Advances the time without updating the quotes of recorded markets, for callers that do not read a book. */
  pass(now: number): number {
    const { state, venue } = this
    const simulation = this.#simulation
    const until = Math.max(state.at, now)
    for (let at = this.nextAt(); at <= until; at = this.nextAt()) {
      payUntil(venue, at)
      if (state.switchAt === at) {
        runKillSwitches(venue.trading, at)
        this.#changed(at)
      }
      if (state.fundingAt === at) {
        simulation?.recorded?.passTo(at, false)
        settleFunding(venue.trading, at, this.#recordedFunding)
        react(venue.trading, at)
        this.#changed(at)
      }
      simulation?.run(at)
    }
    payUntil(venue, until)
    simulation?.recorded?.passTo(until, true)
    state.at = until
    return until
  }

  /** A cancellation, too, can move a mark price. The recorded markets must compute their next event anew. */
  #changed(at: number): void {
    if (this.venue.trading.deleverages) react(this.venue.trading, at)
    this.#simulation?.recorded?.changed()
  }

  /** The time of the next event that no request causes. Until then the exchange can advance the time in one jump. */
  nextAt(): number {
    const fundingAt = this.#paysFunding ? this.state.fundingAt : Infinity
    return Math.min(fundingAt, this.state.switchAt, this.#simulation?.nextAt() ?? Infinity)
  }

  /** All before the execution of a call: returns the answer of a public or refused call, or a waiting call. */
  admit(request: WireRequest, moment: number): WireResponse | Waiting {
    const now = this.advance(moment)
    const { path } = request
    const name = this.#routes.get(path) ?? this.#routes.get(path.slice(0, path.lastIndexOf('/') + 1))
    if (name === undefined) {
      return path.startsWith('/api/v4/public/')
        ? publicRefusal(gateRefusals.pathUnknown)
        : this.#refuse(gateRefusals.pathUnknown)
    }
    const row: Endpoint = contract[name]
    if (isPublic(name)) return this.#answerPublic(name, row, request, now)
    if (request.method !== methodOf(row)) return this.#refuse(gateRefusals.methodForbidden, { allow: 'POST' })
    const admitted = this.#door.admit(row, request, now)
    if (!('account' in admitted)) return this.#refuse(admitted)
    return { row, name, admitted }
  }

  #answerPublic(name: PublicName, row: Endpoint, request: WireRequest, now: number): WireResponse {
    const { venue } = this
    if (request.method !== 'GET') return publicRefusal(publicRefusals.methodForbidden, { allow: 'GET' })
    const wait = this.#door.publicWait(row, request, now)
    if (wait > 0) return publicTooMany(venue, wait)
    if (request.query.length > queryCharactersMax) return publicRefusal(publicRefusals.queryTooLong)
    const read = readPublicCall(row, request.path, request.query)
    if ('problems' in read) return publicRefusal(unfit(row, read.problems), {}, row.wording)
    const { unknownParameters } = venue.switches
    const ignores = unknownParameters === 'ignore' || (unknownParameters !== 'refuse' && row.beyond === true)
    const parameters = ignores ? knownFields(row.request, read.parameters) : read.parameters
    const problems = formProblems(row, parameters)
    if (problems) return publicRefusal(unfit(row, problems), {}, row.wording)
    return publicResponse(row, publicHandlerOf[name]({ venue, parameters, now }))
  }

  /** Validates, handles and answers an admitted call. */
  execute(waiting: Waiting, moment: number): WireResponse {
    return answerResponse(this.venue, waiting.row, this.#run(waiting, moment))
  }

  #run({ row, name, admitted }: Waiting, moment: number): unknown {
    const { venue } = this
    const now = this.advance(moment)
    const { account, parameters, isChecked } = admitted
    const misformed = isChecked ? undefined : formProblems(row, parameters)
    const problems = parameterProblems(name, { venue, account, parameters, now }, misformed)
    if (problems) return new RefusedCall(unfit(row, problems))
    if (row.effect === 'write') {
      venue.record({ kind: 'write', at: now, account: account.name, endpoint: name, parameters })
    }
    const answer = handlerOf[name]({ venue, now, ...admitted })
    if (row.effect === 'write') this.#changed(now)
    return answer
  }

  #refuse(refusal: ApiRefusal, headers?: Record<string, string>): WireResponse {
    return refusalResponse(this.venue, refusal, headers)
  }

  handle(request: WireRequest, now: number): WireResponse {
    const admitted = this.admit(request, now)
    return 'status' in admitted ? admitted : this.execute(admitted, now)
  }

  /** A private call of the same process. A handler that has a value for it gives no text. */
  handleDirect(call: DirectCall, moment: number): WireResponse | DirectAnswer {
    const name = this.#routes.get(call.path)
    if (name === undefined || isPublic(name)) return this.#refuse(gateRefusals.pathUnknown)
    const row: Endpoint = contract[name]
    const admitted = this.#door.admitDirect(row, call, this.advance(moment))
    if (!('account' in admitted)) return this.#refuse(admitted)
    const answer = this.#run({ row, name, admitted }, moment)
    return answer instanceof ValueAnswer ? answer : answerResponse(this.venue, row, answer)
  }

  /** Applies a stored entry again. */
  redo(entry: Entry): void {
    this.advance(entry.at)
    this.#apply(entry)
  }

  #applyNew(entry: Entry): void {
    this.#apply(entry)
    this.venue.record(entry)
  }

  #apply(entry: Entry): void {
    const { state, venue } = this
    switch (entry.kind) {
      case 'nonce':
        useNonce(state, entry.key, entry.nonce, entry.window, entry.at)
        break
      case 'write':
        this.#redoWrite(entry)
        break
      case 'turned':
        state.turnedMs += entry.ms
        break
      case 'sped':
        state.speed = entry.speed
        break
      case 'rested':
        this.#simulation?.recorded?.record()
        if (state.flow) restMarkets(state.flow, entry)
        break
      case 'told':
        if (state.flow) state.flow.toldUntil = entry.until
        break
      case 'deposit-canceled':
        cancelDeposit(venue, entry.id, entry.at)
        break
      case 'notified':
        noticeSent(state, entry.id, entry.received, entry.at)
        break
    }
  }

  #redoWrite({ account: name, endpoint, parameters, at }: Extract<Entry, { kind: 'write' }>): void {
    const account = this.state.accounts.get(name)
    if (!account || !isEndpointName(endpoint) || isPublic(endpoint)) {
      throw new RangeError(`${name} cannot call ${endpoint}`)
    }
    handlerOf[endpoint]({ venue: this.venue, account, parameters, now: at })
    this.#changed(at)
  }

  /** Moves the clock ahead; the caller's later `now` must include it. */
  moveClock(ms: number, now: number): void {
    this.#applyNew({ kind: 'turned', at: now, ms })
    this.advance(now + ms)
  }

  /** Records the speed of the exchange's time; the caller must apply it. */
  speed(speed: number): void {
    this.#applyNew({ kind: 'sped', at: this.state.at, speed })
  }

  /** Delays everything that the markets do by so many milliseconds. */
  rest(ms: number): void {
    this.#applyNew({ kind: 'rested', at: this.state.at, ms })
  }

  /** Streams may report what the markets do until this time. */
  tell(until: number): void {
    this.#applyNew({ kind: 'told', at: this.state.at, until })
  }

  /** False if the deposit cannot be canceled (any more). */
  cancelDeposit(id: string, now: number): boolean {
    const done = cancelDeposit(this.venue, id, now)
    if (done) this.venue.record({ kind: 'deposit-canceled', at: now, id })
    return done
  }

  noticeSent(id: string, received: boolean, now: number): void {
    this.#applyNew({ kind: 'notified', at: now, id, received })
  }
}

/** The names of the endpoints that a profile offers, by path. */
function routesOf(profile: Profile): Map<string, EndpointName> {
  const routes = new Map<string, EndpointName>()
  for (const [name, row] of Object.entries(contract)) {
    if (isEndpointName(name) && (profile === 'full' || !('beyond' in row))) routes.set(stemOf(row), name)
  }
  return routes
}

function isEndpointName(name: string): name is EndpointName {
  return Object.hasOwn(contract, name)
}

function isPublic(name: EndpointName): name is PublicName {
  return Object.hasOwn(publicHandlers, name)
}

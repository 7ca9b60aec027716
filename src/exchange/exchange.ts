import { methodOf, type Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { readPublicCall, stemOf } from '#src/venues/whitebit/contract/wire/public-call.ts'
import { gateRefusals, publicRefusals, type ApiRefusal } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { respell } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { payUntil } from '#src/exchange/account-data/earnings.ts'
import {
  createDoor,
  formProblems,
  queryCharactersMax,
  unfit,
  type Admitted,
} from '#src/exchange/http/request-gate.ts'
import { parameterProblems } from '#src/exchange/handlers/trading/parameter-problems.ts'
import { handlers, publicHandlers, type PublicName } from '#src/exchange/handlers/handler-table.ts'
import { beginSimulation, delaySimulation, noSimulation } from '#src/exchange/simulation/begin-simulation.ts'
import { startMarketSimulation } from '#src/exchange/simulation/market-simulation.ts'
import { simulatedHistories } from '#src/exchange/simulation/simulated-history.ts'
import { settleFunding } from '#src/exchange/trading/positions/funding.ts'
import { runKillSwitches } from '#src/exchange/trading/orders/kill-switches.ts'
import { createMarket } from '#src/exchange/trading/book/market.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import { useNonce } from '#src/exchange/http/nonces.ts'
import { cancelDeposit, noticeSent } from '#src/exchange/account-data/deposit-notices.ts'
import {
  publicRefusal,
  publicTooMany,
  refusalResponse,
  success,
  written,
} from '#src/exchange/http/responses.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import { beginState } from './state.ts'
import {
  RefusedCall,
  WrittenAnswer,
  type AnyHandler,
  type AnyPublicHandler,
  type Entry,
  type PrivateName,
  type VenueContext,
} from './venue-context.ts'

/** An admitted private call that waits for its execution. */
export type Waiting = { row: Endpoint; name: PrivateName; admitted: Admitted }

const handlerOf: Record<PrivateName, AnyHandler> = handlers
const publicHandlerOf: Record<PublicName, AnyPublicHandler> = publicHandlers

export type Exchange = ReturnType<typeof createExchange>

/** The exchange without sockets: bytes and a time in, bytes out. It reads no clock, no file and no network. */
export function createExchange(options: ExchangeOptions) {
  const { world, profile = 'spec', spelling = 'spec', sources = noSimulation } = options
  const { secretOf = (secret: string) => new Secret(secret) } = options
  const state =
    typeof options.begin === 'number' ? beginState(world, options.seed, options.begin) : options.begin
  if (typeof options.begin === 'number') beginSimulation(state, world, sources)
  const markets = Object.entries(world.markets).map(([name, rules], number) =>
    createMarket(name, number, rules),
  )
  const venue: VenueContext = {
    world,
    switches: world.switches,
    profile,
    state,
    trading: {
      state,
      switches: world.switches,
      markets,
      accounts: [...state.accounts.values(), ...state.houses],
    },
    spelling,
    markets: new Map(markets.map((market) => [market.name, market])),
    simulatedHistory: simulatedHistories(state),
    flexPlans: new Map(world.flexPlans.map((plan) => [plan.id, plan])),
    fixedPlans: new Map(world.fixedPlans.map((plan) => [plan.id, plan])),
    keys: new Map(
      Object.entries(world.accounts).flatMap(([account, rules]) =>
        rules.keys.map(({ key, secret, permissions }) => [
          key,
          { account, secret: secretOf(secret), permissions: new Set(permissions) },
        ]),
      ),
    ),
    unknownKeySecret: new Secret(`nobody ${options.seed}`),
    record: options.record ?? (() => {}),
    publicTradesOf(market) {
      simulation?.recorded?.record(market.number)
      return state.tapes[market.number]
    },
  }
  const simulation = state.flow && startMarketSimulation(venue.trading, state.flow, sources.recorded)
  const paysFunding = venue.trading.markets.some(({ rules }) => rules.kind === 'futures')
  const door = createDoor(venue)
  const routes = new Map<string, EndpointName>()
  for (const [name, row] of Object.entries(contract)) {
    if (isEndpointName(name) && (profile === 'full' || !('beyond' in row))) routes.set(stemOf(row), name)
  }

  /** Advances the time, never backwards, and runs all that fell due before. Returns the time of the exchange. */
  function advance(now: number): number {
    const at = pass(now)
    simulation?.recorded?.quote(at)
    return at
  }

  /** Advances the time without updating the quotes of recorded markets, for callers that do not read a book. */
  function pass(now: number): number {
    const until = Math.max(state.at, now)
    for (let at = nextAt(); at <= until; at = nextAt()) {
      payUntil(venue, at)
      if (state.switchAt === at) {
        runKillSwitches(venue.trading, at)
        changed()
      }
      if (state.fundingAt === at) {
        simulation?.recorded?.passTo(at, false)
        settleFunding(venue.trading, at, sources.recorded?.funding)
        react(venue.trading, at)
        changed()
      }
      simulation?.run(at)
    }
    payUntil(venue, until)
    simulation?.recorded?.passTo(until, true)
    state.at = until
    return until
  }

  /** The recorded markets must compute their next event anew. */
  function changed(): void {
    simulation?.recorded?.changed()
  }

  /** The time of the next event that no request causes. Until then the exchange can advance the time in one jump. */
  function nextAt(): number {
    const fundingAt = paysFunding ? state.fundingAt : Infinity
    return Math.min(fundingAt, state.switchAt, simulation?.nextAt() ?? Infinity)
  }

  /** All before the execution of a call: returns the answer of a public or refused call, or a waiting call. */
  function admit(request: WireRequest, moment: number): WireResponse | Waiting {
    const now = advance(moment)
    const { path } = request
    const name = routes.get(path) ?? routes.get(path.slice(0, path.lastIndexOf('/') + 1))
    if (name === undefined) {
      return path.startsWith('/api/v4/public/')
        ? publicRefusal(gateRefusals.pathUnknown)
        : refuse(gateRefusals.pathUnknown)
    }
    const row: Endpoint = contract[name]
    if (isPublic(name)) return answerPublic(name, row, request, now)
    if (request.method !== methodOf(row)) return refuse(gateRefusals.methodForbidden, { allow: 'POST' })
    const admitted = door.admit(row, request, now)
    if (!('account' in admitted)) return refuse(admitted)
    return { row, name, admitted }
  }

  function answerPublic(name: PublicName, row: Endpoint, request: WireRequest, now: number): WireResponse {
    if (request.method !== 'GET') return publicRefusal(publicRefusals.methodForbidden, { allow: 'GET' })
    const wait = door.publicWait(row, request, now)
    if (wait > 0) return publicTooMany(venue, retryAfter(wait))
    if (request.query.length > queryCharactersMax) return publicRefusal(publicRefusals.queryTooLong)
    const read = readPublicCall(row, request.path, request.query)
    if ('problems' in read) return publicRefusal(unfit(row, read.problems), {}, row.wording)
    const { parameters } = read
    const problems = formProblems(row, parameters)
    if (problems) return publicRefusal(unfit(row, problems), {}, row.wording)
    const answer = publicHandlerOf[name]({ venue, parameters, now })
    return answer instanceof RefusedCall
      ? publicRefusal(answer.refusal, {}, row.wording)
      : success(200, answer)
  }

  /** Validates, handles and answers an admitted call. */
  function execute({ row, name, admitted }: Waiting, moment: number): WireResponse {
    const now = advance(moment)
    const { account, parameters, isChecked } = admitted
    const misformed = isChecked ? undefined : formProblems(row, parameters)
    const problems = parameterProblems(name, { venue, account, parameters, now }, misformed)
    if (problems) return refuse(unfit(row, problems), {}, row)
    if (row.effect === 'write') {
      venue.record({ kind: 'write', at: now, account: account.name, endpoint: name, parameters })
    }
    const answer = handlerOf[name]({ venue, account, parameters, now, isChecked })
    if (row.effect === 'write') changed()
    if (answer instanceof RefusedCall) return refuse(answer.refusal, {}, row)
    const status = row.created && profile === 'full' ? 201 : 200
    if (answer instanceof WrittenAnswer) return written(status, answer.json)
    return success(status, row.camel && spelling === 'camel' ? respell(answer, row.camel.response) : answer)
  }

  function refuse(refusal: ApiRefusal, headers: Record<string, string> = {}, row?: Endpoint): WireResponse {
    const { retryAfterMs } = refusal
    const wait = retryAfterMs === undefined ? {} : retryAfter(retryAfterMs)
    return refusalResponse(venue, refusal, { ...headers, ...wait }, row)
  }

  return {
    venue,
    state,
    advance,
    pass,
    nextAt,
    admit,
    execute,
    handle(request: WireRequest, now: number): WireResponse {
      const admitted = admit(request, now)
      return 'status' in admitted ? admitted : execute(admitted, now)
    },
    /** Applies a stored entry again. */
    redo(entry: Entry): void {
      advance(entry.at)
      switch (entry.kind) {
        case 'nonce':
          useNonce(state, entry.key, entry.nonce, entry.window, entry.at)
          break
        case 'write': {
          const account = state.accounts.get(entry.account)
          if (!account || !isEndpointName(entry.endpoint) || isPublic(entry.endpoint)) {
            throw new RangeError(`${entry.account} cannot call ${entry.endpoint}`)
          }
          handlerOf[entry.endpoint]({ venue, account, parameters: entry.parameters, now: entry.at })
          changed()
          break
        }
        case 'turned':
          state.turnedMs += entry.ms
          break
        case 'sped':
          state.speed = entry.speed
          break
        case 'rested':
          simulation?.recorded?.record()
          delaySimulation(state, entry.ms)
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
    },
    /** Moves the clock ahead; the caller's later `now` must include it. */
    turn(ms: number, now: number): void {
      state.turnedMs += ms
      venue.record({ kind: 'turned', at: now, ms })
      advance(now + ms)
    },
    /** Records the speed of the exchange's time; the caller must apply it. */
    speed(speed: number): void {
      state.speed = speed
      venue.record({ kind: 'sped', at: state.at, speed })
    },
    /** Delays everything that the markets do by so many milliseconds. */
    rest(ms: number): void {
      simulation?.recorded?.record()
      delaySimulation(state, ms)
      venue.record({ kind: 'rested', at: state.at, ms })
    },
    /** Streams may report what the markets do until this time. */
    tell(until: number): void {
      if (state.flow) state.flow.toldUntil = until
      venue.record({ kind: 'told', at: state.at, until })
    },
    /** False if the deposit cannot be canceled (any more). */
    cancelDeposit(id: string, now: number): boolean {
      const done = cancelDeposit(venue, id, now)
      if (done) venue.record({ kind: 'deposit-canceled', at: now, id })
      return done
    },
    noticeSent(id: string, received: boolean, now: number): void {
      noticeSent(state, id, received, now)
      venue.record({ kind: 'notified', at: now, id, received })
    },
  }
}

function isEndpointName(name: string): name is EndpointName {
  return Object.hasOwn(contract, name)
}

function isPublic(name: EndpointName): name is PublicName {
  return Object.hasOwn(publicHandlers, name)
}

function retryAfter(ms: number): Record<string, string> {
  return { 'retry-after': String(Math.ceil(ms / 1000)) }
}

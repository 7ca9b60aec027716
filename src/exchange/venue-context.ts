import type { Contract, EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { AnswerOf, Permission, WireOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { ApiRefusal } from '#src/venues/whitebit/contract/wire/refusals.ts'
import type { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { Bars } from '#src/exchange/trades/bars.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { ExchangeAccount, ExchangeState } from './state.ts'
import type { PublicTrades } from '#src/exchange/trades/public-trades.ts'
import type { FixedPlan, FlexPlan, World } from './world-file.ts'

export type Profile = 'spec' | 'full'

/** The standing of a venue: what follows from the world file, beside the state that moves. */
export type VenueContext = {
  world: World
  switches: World['switches']
  profile: Profile
  state: ExchangeState
  trading: Trading
  spelling: Spelling
  markets: ReadonlyMap<string, Market>
  /** What candles show of the time before the world began. */
  past: (market: Market) => Bars
  flexPlans: ReadonlyMap<string, FlexPlan>
  fixedPlans: ReadonlyMap<string, FixedPlan>
  keys: ReadonlyMap<string, Key>
  /** Signs in place of the secret of a key that does not exist, so that both cost the same time. */
  nobody: Secret
  /** Told of everything that changed the state, so that it can be made durable and done again. */
  record: (entry: Entry) => void
  /** What a market remembers, up to now. */
  tapeOf(market: Market): PublicTrades | undefined
}

/** One change of the state: replayed in order from the same beginning, entries give the same state. */
export type Entry =
  | { kind: 'nonce'; at: number; key: string; nonce: string; window: boolean }
  | { kind: 'write'; at: number; account: string; endpoint: string; parameters: Record<string, unknown> }
  | { kind: 'turned'; at: number; ms: number }
  | { kind: 'sped'; at: number; speed: number }
  | { kind: 'rested'; at: number; ms: number }
  | { kind: 'told'; at: number; until: number }
  | { kind: 'deposit-canceled'; at: number; id: string }
  | { kind: 'notified'; at: number; id: string; received: boolean }

export type Key = { account: string; secret: Pick<Secret, 'verifies'>; permissions: ReadonlySet<Permission> }

/** What a handler gets; it answers, or refuses with a value. `now` is the venue's time in milliseconds. */
export type HandlerCall<Parameters> = {
  venue: VenueContext
  account: ExchangeAccount
  parameters: Parameters
  now: number
}

export class RefusedCall {
  readonly refusal: ApiRefusal
  constructor(refusal: ApiRefusal) {
    this.refusal = refusal
  }
}

/** An answer that is JSON already, in the venue's spelling: for the one that is asked for thousands of times a second. */
export class WrittenAnswer {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

export type Handler<Name extends EndpointName> = {
  handle(call: HandlerCall<WireOf<Contract[Name]>>): AnswerOf<Contract[Name]> | WrittenAnswer | RefusedCall
}['handle']

/**
 * A handler as the exchange calls it, once the row's schema has proven the parameters. It is declared as a
 * method because TypeScript compares those both ways, which is what handing out proven parameters needs.
 */
export type AnyHandler = { handle(call: HandlerCall<Record<string, unknown>>): unknown }['handle']

/** The public endpoints know no account. */
type PublicCall<Parameters> = Omit<HandlerCall<Parameters>, 'account'>

export type PublicHandler<Name extends EndpointName> = {
  handle(call: PublicCall<WireOf<Contract[Name]>>): AnswerOf<Contract[Name]> | RefusedCall
}['handle']

export type AnyPublicHandler = { handle(call: PublicCall<Record<string, unknown>>): unknown }['handle']

export type PrivateName = {
  [Name in EndpointName]: Contract[Name]['access'] extends 'public' ? never : Name
}[EndpointName]

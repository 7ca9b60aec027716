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

/** The context of the exchange: what follows from the world file, beside the state. */
export type VenueContext = {
  world: World
  switches: World['switches']
  profile: Profile
  state: ExchangeState
  trading: Trading
  spelling: Spelling
  markets: ReadonlyMap<string, Market>
  /** The simulated history of a market before the start of the world. */
  simulatedHistory: (market: Market) => Bars
  flexPlans: ReadonlyMap<string, FlexPlan>
  fixedPlans: ReadonlyMap<string, FixedPlan>
  keys: ReadonlyMap<string, Key>
  /** The accounts that are sub-accounts: the account that each belongs to, and its id there. */
  owners: ReadonlyMap<string, { owner: string; id: string }>
  /** Used instead of the secret of an unknown key, so that both cases take the same time. */
  unknownKeySecret: Secret
  /** Called with every change of the state, so that the store can save and repeat it. */
  record: (entry: Entry) => void
  /** The public trades of a market, up to now. */
  publicTradesOf(market: Market): PublicTrades | undefined
}

/** One change of the state: the same entries in the same order from the same start give the same state. */
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

/** The input of a handler, which returns an answer or a refusal. `now` is the exchange's time in milliseconds. */
export type HandlerCall<Parameters> = {
  venue: VenueContext
  account: ExchangeAccount
  parameters: Parameters
  now: number
  /** Whether the parameters fit the row's request, field by field; `gate` of a row can be less strict. */
  isChecked?: boolean
  /** Whether the caller takes a value instead of text. */
  isDirect?: boolean
}

export class RefusedCall {
  readonly refusal: ApiRefusal
  constructor(refusal: ApiRefusal) {
    this.refusal = refusal
  }
}

/** An answer that is already JSON, in the spelling of the API, for the call that runs thousands of times a second. */
export class WrittenAnswer {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

/** An answer in the names of the specification, for a caller in the same process. */
export class ValueAnswer {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

export type Handler<Name extends EndpointName> = {
  handle(
    call: HandlerCall<WireOf<Contract[Name]>>,
  ): AnswerOf<Contract[Name]> | WrittenAnswer | ValueAnswer | RefusedCall
}['handle']

/**
 * A handler with parameters that the row's schema has validated. It is declared as a method because TypeScript compares
 * method parameters bivariantly, which passing validated parameters needs.
 */
export type AnyHandler = { handle(call: HandlerCall<Record<string, unknown>>): unknown }['handle']

/** Public endpoints have no account. */
type PublicCall<Parameters> = Omit<HandlerCall<Parameters>, 'account'>

export type PublicHandler<Name extends EndpointName> = {
  handle(call: PublicCall<WireOf<Contract[Name]>>): AnswerOf<Contract[Name]> | RefusedCall
}['handle']

export type AnyPublicHandler = { handle(call: PublicCall<Record<string, unknown>>): unknown }['handle']

export type PrivateName = {
  [Name in EndpointName]: Contract[Name]['access'] extends 'public' ? never : Name
}[EndpointName]

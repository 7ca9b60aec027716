import type { RequestOf } from '#src/contract/endpoint.ts'
import type { Credentials } from '#src/contract/signing.ts'
import type { Spelling } from '#src/contract/spelling.ts'
import type { Contract, EndpointName } from '#src/contract/table.ts'
import type { Clock } from '#src/time/clock.ts'
import type { Nonces } from './nonce.ts'
import type { AnyOutcome, OutcomeOf } from './outcome.ts'
import type { Transport } from './transport.ts'

/** Who goes first when several calls wait for their turn. */
export type Priority = 'exits' | 'entries' | 'reconciliation' | 'account'

export type CallOptions = {
  /** Takes the call back while it waits for its turn; once sent, a call runs to its end. */
  signal?: AbortSignal
  priority?: Priority
  /** From now until the whole answer is there, waiting and repeated reads included. */
  deadlineMs?: number
}

export type ClientOptions = {
  /** The home address. Writes never go anywhere else. */
  transport: Transport
  /** The other regional address, for reads that the home address left unanswered. */
  secondTransport?: Transport
  /** Without a key the client makes public calls only. */
  key?: {
    credentials: Credentials
    nonces: Nonces
    /** Calls in flight at once; more than one needs nonces of mode window. */
    concurrency?: number
  }
  clock?: Clock
  /** From 0 to 1, for the jitter of pauses. */
  random?: () => number
  /** How names are written; both spellings are read. */
  spelling?: Spelling
  /** False for venues that keep no rate limits: backtests and benchmarks. */
  keepRates?: boolean
}

type Call<Name extends EndpointName> =
  Record<never, never> extends RequestOf<Contract[Name]>
    ? (parameters?: RequestOf<Contract[Name]>, options?: CallOptions) => Promise<OutcomeOf<Name>>
    : (parameters: RequestOf<Contract[Name]>, options?: CallOptions) => Promise<OutcomeOf<Name>>

export type Client = { [Name in EndpointName]: Call<Name> } & {
  /** The same calls by name, for callers that learn the name and the parameters from a person. */
  call(name: EndpointName, parameters: Record<string, unknown>, options?: CallOptions): Promise<AnyOutcome>
  /** Lets calls in flight end, closes the connections and says to the next run how far the nonces went. */
  close(): Promise<void>
}

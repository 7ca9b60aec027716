/** What other programs import from the package: the client, and the contract it speaks. */
export { createClient, type Client } from './client/client.ts'
export type { CallOptions, ClientOptions, LaneView } from './client/courier.ts'
export { httpTransport } from './client/http.ts'
export { nonceFile } from './client/nonce-file.ts'
export { Nonces, type NonceMemory, type NonceMode } from './client/nonce.ts'
export type {
  Answer,
  BulkOutcome,
  NotSent,
  OrderOutcome,
  OutcomeOf,
  ReadOutcome,
  Refused,
  Unknown,
  WriteOutcome,
} from './client/outcome.ts'
export { Stream, type StreamEvent, type StreamOptions } from './client/stream.ts'
export type { Transport } from './client/transport.ts'
export type { Endpoint, ReadOf, RequestOf } from './contract/endpoint.ts'
export { Secret, type Credentials, type Signer } from './contract/signing.ts'
export { contract, type Contract, type EndpointName } from './contract/table.ts'
export { BotError } from './errors/bot-error.ts'
export { systemClock, type Clock } from './time/clock.ts'

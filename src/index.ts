/** What other programs import from the package: the client, and the contract it speaks. */
export { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
export type { CallOptions, ClientOptions, QueueView } from '#src/venues/whitebit/client/calls/dispatcher.ts'
export { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
export { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
export { Nonces, type NonceMemory, type NonceMode } from '#src/venues/whitebit/client/calls/nonces.ts'
export type {
  AnsweredOutcome,
  BulkOutcome,
  NotSent,
  OrderOutcome,
  OutcomeOf,
  ReadOutcome,
  RefusedOutcome,
  UnknownOutcome,
  WriteOutcome,
} from '#src/venues/whitebit/client/answers/outcome.ts'
export { Stream, type StreamEvent, type StreamOptions } from '#src/venues/whitebit/client/streams/stream.ts'
export type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
export type { Endpoint, ReadOf, RequestOf } from '#src/venues/whitebit/contract/endpoint.ts'
export { Secret, type Credentials, type Signer } from '#src/venues/whitebit/contract/wire/signing.ts'
export { contract, type Contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
export { BotError } from '#src/core/errors/bot-error.ts'
export { systemClock, type Clock } from '#src/core/time/clock.ts'

import type { Endpoint, RequestOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract, type Contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { readBulk, sharedOutcome, StoppedBulkShape } from '#src/venues/whitebit/client/answers/bulk-answer.ts'
import {
  Dispatcher,
  type CallOptions,
  type ClientOptions,
  type QueueView,
} from '#src/venues/whitebit/client/calls/dispatcher.ts'
import {
  notSent,
  type AnyOutcome,
  type BulkOutcome,
  type NotSent,
  type OutcomeOf,
  type UnknownOutcome,
} from '#src/venues/whitebit/client/answers/outcome.ts'
import type { Unclear } from '#src/venues/whitebit/client/answers/answer.ts'
import { encodeParameters } from '#src/venues/whitebit/client/calls/signed-request.ts'
import { keysOf } from '#src/core/objects/objects.ts'

type Call<Name extends EndpointName> =
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- exactly that: can it be left out?
  Record<never, never> extends RequestOf<Contract[Name]>
    ? (parameters?: RequestOf<Contract[Name]>, options?: CallOptions) => Promise<OutcomeOf<Name>>
    : (parameters: RequestOf<Contract[Name]>, options?: CallOptions) => Promise<OutcomeOf<Name>>

/** The client: one method for each endpoint, such as `client.collateralBulk(...)`, and the methods below. */
export type Client = { [Name in EndpointName]: Call<Name> } & {
  /** The same calls by the name of the endpoint, for programs that know the name only when they run. */
  call(name: EndpointName, parameters: Record<string, unknown>, options?: CallOptions): Promise<AnyOutcome>
  /** How many calls wait now, and how much of each rate limit is used. */
  lanes(): QueueView[]
  /** Cancels calls that wait, waits for calls in flight, and closes the connections. */
  close(): Promise<void>
}

/** Makes a client of a venue. */
export function createClient(options: ClientOptions): Client {
  const courier = new Dispatcher(options)
  const shape = new StoppedBulkShape(options.stopOnFailAnswer)
  const call: Client['call'] = (name, parameters, callOptions = {}) =>
    name === 'collateralBulk'
      ? callBulk(courier, shape, parameters, callOptions)
      : callRow(courier, contract[name], parameters, callOptions)
  const methods = Object.fromEntries(
    names.map((name) => [
      name,
      (parameters: Record<string, unknown> = {}, callOptions?: CallOptions) =>
        call(name, parameters, callOptions),
    ]),
  )
  // The schemas of a row say at run time what Call says of it at compile time; a loop cannot show that to tsc.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ...methods, call, lanes: () => courier.lanes(), close: () => courier.close() } as unknown as Client
}

const names = keysOf(contract)

async function callRow(
  courier: Dispatcher,
  row: Endpoint,
  parameters: Record<string, unknown>,
  options: CallOptions,
): Promise<AnyOutcome> {
  const encoded = encodeParameters(row, parameters)
  if ('problems' in encoded) return unfit(encoded.problems)
  if (row.effect === 'read') {
    const askedAt = courier.monotonic()
    const attempt = await courier.read(row, encoded.wire, options)
    if (row === contract.time && attempt.kind === 'answer') {
      const { time } = contract.time.response.parse(attempt.value)
      courier.heardTime(time * 1000, askedAt)
    }
    return attempt.kind === 'unclear' ? { kind: 'unanswered', reason: attempt.reason } : attempt
  }
  const attempt = await courier.write(row, encoded.wire, options)
  if (attempt.kind === 'answer') return { kind: 'accepted', value: attempt.value }
  return attempt.kind === 'unclear' ? unknown(attempt) : attempt
}

function unknown({ reason, waitMs }: Unclear): UnknownOutcome {
  return { kind: 'unknown', reason, ...(waitMs !== undefined && { waitMs }) }
}

async function callBulk(
  courier: Dispatcher,
  shape: StoppedBulkShape,
  parameters: Record<string, unknown>,
  options: CallOptions,
): Promise<BulkOutcome> {
  const row = contract.collateralBulk
  const encoded = encodeParameters(row, parameters)
  if ('problems' in encoded) {
    const given = parameters['orders']
    return sharedOutcome(Array.isArray(given) ? given : [], unfit(encoded.problems))
  }
  const sent = encoded.wire
  const attempt = await courier.write(row, encoded.wire, options)
  if (attempt.kind === 'answer') return readBulk(sent, attempt, shape)
  return sharedOutcome(sent.orders, attempt.kind === 'unclear' ? unknown(attempt) : attempt)
}

function unfit(problems: NotSent['problems']): NotSent {
  const count = Object.keys(problems).length
  return notSent(
    'invalid',
    count === 1 ? 'A parameter is invalid' : `${count} parameters are invalid`,
    problems,
  )
}

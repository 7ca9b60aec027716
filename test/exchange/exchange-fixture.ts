import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Endpoint, ResponseOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { serialise } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { Secret, signedHeaders, type Credentials } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { WireRequest, WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import type { ExchangeOptions } from '#src/exchange/exchange-options.ts'
import { worldSchema, type World } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'

/** Fixture: the exchange without a socket, and a client that signs. */
export const beginsAt = 1_790_000_000_000
export const paperWorld: World = readYaml(
  fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url)),
  worldSchema,
)

export function worldWith(switches: Partial<World['switches']>): World {
  return { ...paperWorld, switches: { ...paperWorld.switches, ...switches } }
}

const known = new Map<string, Credentials>()

/** The key pair of an account, named as in `config/exchange.yaml`. */
export function credentialsOf(account: string): Credentials {
  const found = known.get(account)
  if (found) return found
  const made = { key: `${account}-key`, secret: new Secret(`${account}-secret`) }
  known.set(account, made)
  return made
}

export function signedBytes(account: string, path: string, body: Buffer): WireRequest {
  const headers = signedHeaders(credentialsOf(account), body)
  return { method: 'POST', path, query: '', headers, body, origin: '127.0.0.1' }
}

export function signedCall(
  account: string,
  row: Pick<Endpoint, 'path'>,
  parameters: Record<string, unknown>,
  nonce: string,
): WireRequest {
  return signedBytes(account, row.path, serialise({ request: row.path, nonce }, parameters))
}

const refusalShape = z.object({
  code: z.int(),
  message: z.string(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
})

/** An exchange with a clock that the test moves. */
export function openVenue(options: Partial<ExchangeOptions> = {}) {
  const exchange = new Exchange({ world: paperWorld, seed: 'a seed', begin: beginsAt, ...options })
  let now = Math.max(beginsAt, exchange.state.at)
  let nonce = now

  function send(row: Endpoint, account: string, parameters: Record<string, unknown> = {}): WireResponse {
    nonce += 1
    return exchange.handle(signedCall(account, row, parameters, String(nonce)), now)
  }

  return {
    exchange,
    now: () => now,
    pass(ms: number): void {
      now += ms
    },
    send,
    /** The answer to a call that must succeed. */
    ask<Row extends Endpoint>(
      row: Row,
      account: string,
      parameters: Record<string, unknown> = {},
    ): ResponseOf<Row> {
      const { status, body } = send(row, account, parameters)
      if (status !== 200) throw new Error(`${row.path} was refused with ${status}: ${body}`)
      // What the row's own schema read is the answer of the row; zod's general types do not remember which.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return z.parse(row.response, JSON.parse(body)) as ResponseOf<Row>
    },
    /** The error of a call that must fail. */
    refused(row: Endpoint, account: string, parameters: Record<string, unknown> = {}) {
      const { status, body } = send(row, account, parameters)
      if (status === 200) throw new Error(`${row.path} was accepted: ${body}`)
      return { status, ...refusalShape.parse(JSON.parse(body)) }
    },
  }
}

export type TestExchange = ReturnType<typeof openVenue>

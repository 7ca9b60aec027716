import { channel } from 'node:diagnostics_channel'
import { z } from 'zod'
import { payloadHeader } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { OutgoingRequest, Transport } from '#src/venues/whitebit/client/transport/transport.ts'

/** One call as it went over the wire, and all of the answer that a client could see. */
export type Exchanged = {
  method: string
  path: string
  query: string
  /** Names in lower case. */
  headers: Record<string, string>
  sent: string
  status: number
  contentType: string | undefined
  allow: string | undefined
  retryAfter: string | undefined
  body: string
}

type Heads = Map<string, Record<string, string>>

const told = z.object({
  request: z.object({ origin: z.coerce.string(), headers: z.array(z.string()).catch([]) }),
  response: z.object({ headers: z.array(z.instanceof(Uint8Array)) }),
})

/** Hears the heads of all answers from these addresses: the client itself keeps no more of them than it needs. */
export function listenToHeads(origins: readonly string[]): { heads: Heads; end(): void } {
  const heads: Heads = new Map()
  const hear = (message: unknown) => {
    const { request, response } = told.parse(message)
    if (!origins.includes(request.origin)) return
    const payloadAt = request.headers.indexOf(payloadHeader)
    const payload = payloadAt === -1 ? '' : (request.headers[payloadAt + 1] ?? '')
    heads.set(payload, pairsOf(response.headers.map((part) => Buffer.from(part).toString('latin1'))))
  }
  const answers = channel('undici:request:headers')
  answers.subscribe(hear)
  return { heads, end: () => answers.unsubscribe(hear) }
}

function pairsOf(parts: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (let index = 0; index + 1 < parts.length; index += 2) {
    pairs[parts[index]?.toLowerCase() ?? ''] = parts[index + 1] ?? ''
  }
  return pairs
}

/** Writes down every answered call of a transport, in the order in which the calls left. */
export function recorded(inner: Transport, into: Exchanged[], heads?: Heads): Transport {
  return {
    async send(request, withinMs) {
      const place = into.push(begun(request)) - 1
      const delivery = await inner.send(request, withinMs)
      if (delivery.kind !== 'answered') throw new Error(`no answer to ${request.path}: ${delivery.reason}`)
      const { status, headers, body } = delivery.response
      const head = heads?.get(request.headers[payloadHeader] ?? '') ?? headers
      into[place] = {
        ...begun(request),
        status,
        contentType: head['content-type'],
        allow: head['allow'],
        retryAfter: head['retry-after'],
        body,
      }
      return delivery
    },
    close: () => inner.close(),
  }
}

function begun({ method, path, query, headers, body }: OutgoingRequest): Exchanged {
  const open = { status: 0, contentType: undefined, allow: undefined, retryAfter: undefined, body: '' }
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value ?? ''])
  return {
    method,
    path,
    query,
    headers: Object.fromEntries(given),
    sent: Buffer.from(body).toString('latin1'),
    ...open,
  }
}

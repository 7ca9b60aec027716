import { z } from 'zod'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { invalidTrade } from '#src/venues/whitebit/contract/wire/refusals.ts'
import {
  startFaultProxy,
  type ProxiedCall,
  type ProxyFault as LineFault,
  type FaultDecision,
} from '#src/exchange/http/fault-proxy.ts'
import { startExchange, type RunningExchange, type ServerOptions } from '#src/exchange/http/server.ts'
import { headersOf } from './venue.ts'

/** What can happen to a call between a client and its venue. */
export type Fault = LineFault | keyof typeof meddlings

const signedCall = z.looseObject({ request: z.string(), nonce: z.coerce.number() })

const meddlings = {
  /** The venue itself carries it out twice, whatever its nonce, and answers what came of the second time. */
  async 'carried out twice'(call, deliver) {
    await deliver(call)
    return deliver(signedAnew(call, signedCall.parse(JSON.parse(call.body.toString())), 1))
  },
  /** Another process has drawn a later nonce with the same key just before. */
  async 'nonce overtaken'(call, deliver) {
    if (call.body.length > 0) {
      const { nonce } = signedCall.parse(JSON.parse(call.body.toString()))
      await deliver(signedAnew(call, { request: contract.tradingBalance.path, nonce }, 100))
    }
    return deliver(call)
  },
  /** A venue that finds something wrong with a request looks at no part of it. */
  'found invalid': async () => {
    const { status, ...refusal } = invalidTrade({ orders: ['The orders are invalid.'] })
    const headers = { 'content-type': 'application/json' }
    return { status, headers, body: Buffer.from(JSON.stringify(refusal)) }
  },
  /** The venue has no room for this path for ten seconds, and says so in the words that it has for nonces, too. */
  'throttled for 10 s': async () => {
    const headers = { 'content-type': 'application/json', 'retry-after': '10' }
    return {
      status: 429,
      headers,
      body: Buffer.from('{"code":0,"errors":{},"message":"Too many requests."}'),
    }
  },
  /** A gateway fails, and shows what it was sent. */
  'echoed by a gateway': async ({ headers }) => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from(`<html>Bad gateway: ${JSON.stringify(headers)} paper-secret</html>`),
  }),
  /** The venue places every order, and its answer arrives without any element. */
  async 'answer emptied'(call, deliver) {
    const { headers, ...answer } = await deliver(call)
    return { ...answer, headers: { ...headers, 'content-length': '2' }, body: Buffer.from('[]') }
  },
} satisfies Record<string, FaultDecision>

function isMeddling(fault: Fault | undefined): fault is keyof typeof meddlings {
  return typeof fault === 'string' && Object.hasOwn(meddlings, fault)
}

export type FaultyVenue = Awaited<ReturnType<typeof startFaultyVenue>>

/** The embedded exchange behind a bad line: every call can meet a fault, by its name and by how many came before it. */
export async function startFaultyVenue(options: ServerOptions) {
  let running: RunningExchange = await startExchange(options)
  const plans: { name: EndpointName; countdown: number; fault: Fault }[] = []
  const calls: { name: EndpointName | undefined; fault: Fault | undefined; body: string }[] = []
  let onCall: (() => void) | undefined
  let whim: (() => Fault | undefined) | undefined
  const changes = new Map<EndpointName, (answer: unknown) => unknown>()

  function faultOf(name: EndpointName | undefined): Fault | undefined {
    let found: Fault | undefined
    for (const plan of plans) {
      if (plan.name !== name) continue
      plan.countdown -= 1
      if (plan.countdown === 0) found ??= plan.fault
    }
    return found
  }

  const line = await startFaultProxy({
    target: () => running.url,
    clock: options.clock,
    fault({ url, body }) {
      const name = nameOf(url ?? '')
      const fault = faultOf(name) ?? whim?.()
      calls.push({ name, fault, body: body.toString() })
      if (isMeddling(fault)) return meddlings[fault]
      const change = name && fault === undefined ? changes.get(name) : undefined
      return change ? changing(change) : fault
    },
    onPassed: () => onCall?.(),
  })

  return {
    url: line.url,
    cutStreams: () => line.cutStreams(),
    down: (value: boolean) => line.down(value),
    get running() {
      return running
    },
    calls,
    /** The nth call of this name from now on meets the fault. */
    plan(name: EndpointName, nth: number, fault: Fault): void {
      plans.push({ name, countdown: nth, fault })
    },
    /** Nothing of what was planned happens any more. */
    forgetPlans(): void {
      plans.length = 0
    },
    /** Every call may meet a fault that nobody has planned, until there is no whim any more. */
    whim(next: (() => Fault | undefined) | undefined): void {
      whim = next
    },
    /** Changes the answers of this name from now on; undefined stops that. */
    rewrite(name: EndpointName, change: ((answer: unknown) => unknown) | undefined): void {
      if (change === undefined) changes.delete(name)
      else changes.set(name, change)
    },
    /** How many faults are still to come. */
    planned: () => plans.filter(({ countdown }) => countdown > 0).length,
    /** Called after everything that has reached the exchange. */
    watch(look: () => void): void {
      onCall = look
    },
    /** The exchange is there again from its beginning, as after a loss of all that it knew. */
    async forget(): Promise<void> {
      const before = running
      running = await startExchange(options)
      line.cutStreams()
      await before.close()
    },
    async close(): Promise<void> {
      await line.close()
      await running.close()
    },
  }
}

function changing(change: (answer: unknown) => unknown): FaultDecision {
  return async (call, deliver) => {
    const answer = await deliver(call)
    if (answer.status !== 200) return answer
    const body = Buffer.from(JSON.stringify(change(JSON.parse(answer.body.toString()))))
    return { ...answer, headers: { ...answer.headers, 'content-length': String(body.length) }, body }
  }
}

/** The same key signs another call, with a later nonce. */
function signedAnew(
  { headers: old }: ProxiedCall,
  call: Record<string, unknown> & { request: string; nonce: number },
  later: number,
): ProxiedCall {
  const text = JSON.stringify({ ...call, nonce: String(call.nonce + later) })
  const headers = { ...old, ...headersOf('paper', text), 'content-length': String(text.length) }
  return { method: 'POST', url: call.request, headers, body: Buffer.from(text) }
}

function nameOf(url: string): EndpointName | undefined {
  const path = url.split('?')[0]
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.entries forgets the names of a closed table
  const rows = Object.entries(contract) as [EndpointName, { path: string }][]
  return rows.find(([, row]) => row.path === path)?.[0]
}

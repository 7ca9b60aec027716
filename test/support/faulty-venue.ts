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

/** A fault of a call between a client and its venue. */
export type VenueFault = LineFault | keyof typeof answerFaults

const signedCall = z.looseObject({ request: z.string(), nonce: z.coerce.number() })

const answerFaults = {
  /** The venue executes the call twice, and answers with the second result. */
  async 'carried out twice'(call, deliver) {
    await deliver(call)
    return deliver(signedAnew(call, signedCall.parse(JSON.parse(call.body.toString())), 1))
  },
  /** Another process has used a later nonce with the same key. */
  async 'nonce overtaken'(call, deliver) {
    if (call.body.length > 0) {
      const { nonce } = signedCall.parse(JSON.parse(call.body.toString()))
      await deliver(signedAnew(call, { request: contract.tradingBalance.path, nonce }, 100))
    }
    return deliver(call)
  },
  /** The venue refuses the request as a whole. */
  'found invalid': async () => {
    const { status, ...refusal } = invalidTrade({ orders: ['The orders are invalid.'] })
    const headers = { 'content-type': 'application/json' }
    return { status, headers, body: Buffer.from(JSON.stringify(refusal)) }
  },
  /** The venue throttles this path for ten seconds, with the message that it also uses for nonces. */
  'throttled for 10 s': async () => {
    const headers = { 'content-type': 'application/json', 'retry-after': '10' }
    return {
      status: 429,
      headers,
      body: Buffer.from('{"code":0,"errors":{},"message":"Too many requests."}'),
    }
  },
  /** A gateway fails, and echoes the headers of the request. */
  'echoed by a gateway': async ({ headers }) => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from(`<html>Bad gateway: ${JSON.stringify(headers)} paper-secret</html>`),
  }),
  /** The venue places every order, and its answer arrives as an empty list. */
  async 'answer emptied'(call, deliver) {
    const { headers, ...answer } = await deliver(call)
    return { ...answer, headers: { ...headers, 'content-length': '2' }, body: Buffer.from('[]') }
  },
} satisfies Record<string, FaultDecision>

function isAnswerFault(fault: VenueFault | undefined): fault is keyof typeof answerFaults {
  return typeof fault === 'string' && Object.hasOwn(answerFaults, fault)
}

export type FaultyVenue = Awaited<ReturnType<typeof startFaultyVenue>>

/** The embedded exchange behind a fault proxy: faults are planned by the name and the number of a call. */
export async function startFaultyVenue(options: ServerOptions) {
  let running: RunningExchange = await startExchange(options)
  const plans: { name: EndpointName; countdown: number; fault: VenueFault }[] = []
  const calls: { name: EndpointName | undefined; fault: VenueFault | undefined; body: string }[] = []
  let onCall: (() => void) | undefined
  let randomFaults: (() => VenueFault | undefined) | undefined
  const decisions = new Map<EndpointName, FaultDecision>()

  function faultOf(name: EndpointName | undefined): VenueFault | undefined {
    let found: VenueFault | undefined
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
      const fault = faultOf(name) ?? randomFaults?.()
      calls.push({ name, fault, body: body.toString() })
      if (isAnswerFault(fault)) return answerFaults[fault]
      return (fault === undefined && name && decisions.get(name)) || fault
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
    plan(name: EndpointName, nth: number, fault: VenueFault): void {
      plans.push({ name, countdown: nth, fault })
    },
    /** Drops all planned faults. */
    forgetPlans(): void {
      plans.length = 0
    },
    /** Applies a fault to each call without a planned one; undefined stops that. */
    randomFaults(next: (() => VenueFault | undefined) | undefined): void {
      randomFaults = next
    },
    /** Changes the answers of this name from now on; undefined stops that. */
    rewrite(name: EndpointName, change: ((answer: unknown) => unknown) | undefined): void {
      if (change === undefined) decisions.delete(name)
      else decisions.set(name, changing(change))
    },
    /** Hands each call of this name to a decision from now on. */
    intercept(name: EndpointName, decision: FaultDecision): void {
      decisions.set(name, decision)
    },
    /** Number of faults that have not happened yet. */
    planned: () => plans.filter(({ countdown }) => countdown > 0).length,
    /** Called after each call that has reached the exchange. */
    watch(look: () => void): void {
      onCall = look
    },
    /** Restarts the exchange with its initial state. */
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

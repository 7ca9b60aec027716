import type { WireResponse } from '#src/venues/whitebit/contract/wire/wire.ts'
import type { SeededRandom } from './seeded-random.ts'
import { keysOf } from '#src/core/objects/objects.ts'

/** What a fault of a call does: when the request reaches the exchange, what happens there, and what the bot receives. */
type CallEffect = {
  reaches: 'never' | 'now' | 'late' | 'twice' | 'after the next request'
  /** The exchange restarts behind the execution; `uncommitted` loses what it has not yet written to its disk. */
  restart?: 'committed' | 'uncommitted'
  /** Another program has sent a request with the same key and a later nonce. */
  overtaken?: true
  /** `not sent`: the transport proves that no byte left. `nothing`: the connection breaks. `silence`: until the deadline. */
  answer: 'true' | 'second' | 'nothing' | 'silence' | 'not sent' | ((draw: Answered) => WireResponse)
  /** Only an answer with one element for each order can be changed in this way. */
  bulkOnly?: true
}
type Answered = { response: WireResponse; unit: number }

const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }
const page = (status: number) => (): WireResponse => ({ status, headers: html, body: '<html>gateway</html>' })
const refusal =
  (status: number, message: string, headers: Record<string, string> = {}) =>
  (): WireResponse => ({
    status,
    headers: { ...json, ...headers },
    body: JSON.stringify({ code: 0, message, errors: {} }),
  })
/** The true answer with another body. */
function changed(body: (response: WireResponse, unit: number) => string) {
  const answer = ({ response, unit }: Answered) => ({ ...response, body: body(response, unit) })
  return { reaches: 'now', answer } as const
}

/** The answer to a bulk with its list changed; any other body stays as it is. */
function elements(change: (list: unknown[]) => unknown[]) {
  const answer = changed(({ body }) => {
    if (!body.startsWith('[')) return body
    const list: unknown[] = JSON.parse(body)
    return JSON.stringify(change(list))
  })
  return { ...answer, bulkOnly: true } as const
}

/** Each fault that one call can meet. A new one is a new row. */
export const callFaults = {
  'request lost': { reaches: 'never', answer: 'nothing' },
  'request cut': { reaches: 'never', answer: 'silence' },
  'connection refused': { reaches: 'never', answer: 'not sent' },
  'delivered late': { reaches: 'late', answer: 'nothing' },
  'delivered twice': { reaches: 'twice', answer: 'true' },
  'delivered twice, second answer': { reaches: 'twice', answer: 'second' },
  reordered: { reaches: 'after the next request', answer: 'true' },
  'answer lost': { reaches: 'now', answer: 'nothing' },
  'answer too slow': { reaches: 'now', answer: 'silence' },
  'answer truncated': { reaches: 'now', answer: 'nothing' },
  'answer cut, looks complete': changed(({ body }, unit) => body.slice(0, unit * body.length)),
  'answer too large': { reaches: 'now', answer: 'nothing' },
  'answer garbled': changed(({ body }, unit) => `${body.slice(0, unit * 60)}\u0000\ufffd`),
  'answer empty': changed(() => ''),
  'executed, then 502': { reaches: 'now', answer: page(502) },
  'executed, then HTML with 200': { reaches: 'now', answer: page(200) },
  '503 without execution': { reaches: 'never', answer: page(503) },
  '429 as JSON': { reaches: 'never', answer: refusal(429, 'Too many requests.') },
  '429 with retry-after': {
    reaches: 'never',
    answer: refusal(429, 'Too many requests.', { 'retry-after': '3' }),
  },
  '429 as HTML': { reaches: 'never', answer: page(429) },
  '429 empty': { reaches: 'never', answer: () => ({ status: 429, headers: {}, body: '' }) },
  '401 from a gateway': { reaches: 'never', answer: page(401) },
  '403 from a gateway': { reaches: 'never', answer: page(403) },
  redirect: { reaches: 'never', answer: () => ({ status: 302, headers: { location: '/login' }, body: '' }) },
  'element missing': elements((list) => list.slice(0, -1)),
  'element doubled': elements((list) => [...list.slice(0, 1), ...list]),
  'elements swapped': elements((list) => list.toReversed()),
  'elements emptied': elements(() => []),
  'nonce overtaken': { reaches: 'now', overtaken: true, answer: 'true' },
  'exchange restarts': { reaches: 'now', restart: 'committed', answer: 'nothing' },
  'exchange crashes before its commit': { reaches: 'now', restart: 'uncommitted', answer: 'nothing' },
} satisfies Record<string, CallEffect>
export type CallFault = keyof typeof callFaults

/** What can happen to a frame of a stream. */
const frameFaults = [
  'stream cut',
  'stream silent',
  'frame doubled',
  'frame lost',
  'frame late',
  'frame garbled',
] as const
export type FrameFault = (typeof frameFaults)[number]

/** What can happen in any second: to the computer, the network, the exchange, or by the hand of the operator. */
const secondFaults = [
  'clock stepped',
  'process frozen',
  'network down',
  'network silent',
  'streams cut',
  'exchange restarted',
  'operator stops',
  'operator halts',
] as const
export type SecondFault = (typeof secondFaults)[number]

/** What can happen at an operation of the process: it is killed there, or the disk refuses. */
const operationFaults = [
  'killed before',
  'killed after',
  'killed during a commit',
  'disk full',
  'disk fails',
] as const
export type OperationFault = (typeof operationFaults)[number]
const killsAnywhere = ['killed before', 'killed after'] as const

const callNames = keysOf(callFaults)
export type FaultKind = CallFault | FrameFault | SecondFault | OperationFault
const kinds = new Set<string>([...callNames, ...frameFaults, ...secondFaults, ...operationFaults])
type Site = 'call' | 'frame' | 'second' | 'operation'
/**
 * Where a fault happened: `order/collateral/bulk:3` is the third bulk of the run. A count of all calls would move with each
 * fault that is left out.
 */
export type Fired = { site: string; kind: FaultKind; step: string }
/** An operation of a process. `at` is its time; `killed after` kills at the end of its `turn`. */
export type Operation = { site: string; at: number; turn: number }
/** The faults of a run by their sites: nothing else fails. */
export type FaultList = ReadonlyMap<string, FaultKind>

/** Decides which fault happens where: by chance, or by a list. */
export class FaultPlan {
  /** False after the time for faults. */
  isActive = true
  readonly fired: Fired[] = []
  /** By step of the run, such as `order/cancel` or `commit`, the faults that could happen there. */
  readonly steps = new Map<string, readonly FaultKind[]>()
  /** The operations of the processes while faults could happen. */
  readonly operations: Operation[] = []
  /** By step, how often the run has come there. */
  readonly #counts = new Map<string, number>()
  readonly #dice: SeededRandom
  readonly #only: FaultList | undefined
  readonly #rates: Readonly<Record<Site, number>>
  readonly #enabled: ReadonlySet<string>

  constructor(dice: SeededRandom, only?: FaultList) {
    this.#dice = dice
    this.#only = only
    this.#rates = {
      call: dice.pick([0.05, 0.15, 0.3, 0.5], 'rate of calls'),
      frame: dice.pick([0, 0.01, 0.05], 'rate of frames'),
      second: dice.pick([0, 0.02, 0.08], 'rate of seconds'),
      operation: dice.pick([0, 1 / 400, 1 / 200, 1 / 100], 'rate of operations'),
    }
    // Each seed has kinds that never happen: rare combinations of the others come up more often.
    this.#enabled = new Set([...kinds].filter((kind) => dice.unit(`enabled ${kind}`) < 0.6))
  }

  call(index: number, step: string, isBulk: boolean): CallFault | undefined {
    const from = isBulk ? callNames : callNames.filter((name) => !('bulkOnly' in callFaults[name]))
    return this.#fault('call', index, step, from, isBulk ? 2 : 1)
  }

  frame(index: number, step: string): FrameFault | undefined {
    return this.#fault('frame', index, step, frameFaults)
  }

  second(index: number): SecondFault | undefined {
    return this.#fault('second', index, 'second', secondFaults)
  }

  operation(index: number, step: string, when: Omit<Operation, 'site'>): OperationFault | undefined {
    const isCommit = step === 'commit'
    const from = isCommit ? operationFaults : killsAnywhere
    const fault = this.#fault('operation', index, step, from, isCommit ? 6 : 1)
    if (this.isActive) this.operations.push({ site: `${step}:${this.#counts.get(step)}`, ...when })
    return fault
  }

  #fault<Name extends FaultKind>(
    place: Site,
    index: number,
    step: string,
    from: readonly Name[],
    weight = 1,
  ): Name | undefined {
    if (!this.isActive) return undefined
    if (!this.steps.has(step)) this.steps.set(step, from)
    const count = (this.#counts.get(step) ?? 0) + 1
    this.#counts.set(step, count)
    const site = `${step}:${count}`
    const only = this.#only
    const kind =
      only === undefined
        ? this.#drawn(place, index, from, weight)
        : from.find((name) => name === only.get(site))
    if (kind !== undefined) this.fired.push({ site, kind, step })
    return kind
  }

  #drawn<Name extends FaultKind>(
    site: Site,
    index: number,
    from: readonly Name[],
    weight: number,
  ): Name | undefined {
    if (this.#dice.unit(site, index) >= this.#rates[site] * weight) return undefined
    const enabled = from.filter((name) => this.#enabled.has(name))
    return enabled.length === 0 ? undefined : this.#dice.pick(enabled, site, index, 1)
  }
}

/** `order/collateral/bulk:3=answer lost; commit:17=killed before`; undefined if the text is no such list. */
export function faultList(text: string): FaultList | undefined {
  const list = new Map<string, FaultKind>()
  for (const entry of text.split(';').map((each) => each.trim())) {
    if (entry === '') continue
    const [site = '', kind = ''] = entry.split('=')
    if (!/^[\w/ -]+:\d{1,9}$/.test(site) || !isKind(kind)) return undefined
    list.set(site, kind)
  }
  return list
}

export function faultListText(list: FaultList): string {
  return [...list].map(([site, kind]) => `${site}=${kind}`).join('; ')
}

function isKind(text: string): text is FaultKind {
  return kinds.has(text)
}

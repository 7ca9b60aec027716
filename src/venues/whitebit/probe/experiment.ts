import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { ProbeOrder, ProbePlace } from './probe-orders.ts'

/** Behaviour of a venue that its documents do not state. Most names are those of the switches of a world. */
export type ProbeTopic =
  | 'spelling'
  | 'unknownParameters'
  | 'nonce'
  | 'refusalStatus'
  | 'blanksInBody'
  | 'historySpan'
  | 'batchMax'
  | 'priceBand'
  | 'restingStatus'
  | 'executionDelay'
  | 'historyLag'
  | 'settle'
  | 'collateralFreeze'
  | 'clientIds'
  | 'postOnlyCross'
  | 'amendId'
  | 'amendClientId'
  | 'amendTerms'
  | 'amendLists'
  | 'amendGone'
  | 'amendRefused'
  | 'amendCross'
  | 'amendFilled'
  | 'failedElement'
  | 'stopOnFailAnswer'
  | 'shortSide'
  | 'tooManyRequests'
  | 'rateLimits'
  | 'takerBand'

export type ProbeResult = {
  about: ProbeTopic
  /** Null if the experiment could not tell. */
  value: string | null
  found: string
  means: string
  /** Lines of a venue file. */
  settings?: Readonly<Record<string, string>>
  /** The venue did something that makes trading there dangerous. */
  isDanger?: true
}

/** One request, or a pause, as an experiment asks for it. The driver signs it, and notes orders before it sends them. */
export type ProbeStep =
  /** `olderNonce`: with nonceWindow, and a nonce below that of the call before. `blanks`: between the parts of the body. */
  | {
      do: 'ask'
      call: EndpointName
      parameters: Readonly<Record<string, unknown>>
      olderNonce?: true
      blanks?: true
    }
  /** All orders go through the bulk call, as the orders of a bot do. */
  | { do: 'place'; orders: readonly ProbeOrder[]; stopOnFail?: boolean; spelling?: Spelling }
  /** Changes the price and the amount of an open order in one request, as a bot does. */
  | { do: 'amend'; orderId: number; order: ProbeOrder }
  | { do: 'cancel'; orderId: number }
  | { do: 'wait'; ms: number }

/** An answer, with the monotonic times of the request and of the answer. */
export type ProbeAnswer = {
  status: number
  /** Undefined if it is not JSON. */
  body: unknown
  sentAt: number
  at: number
}

/** A pure function of the answers: it yields steps and returns a result, or several, or a value for an experiment. */
export type ProbeSteps<Value = ProbeResult | ProbeResult[]> = Generator<ProbeStep, Value, ProbeAnswer>

/** A row of the table of experiments. */
export type Experiment = {
  finds: readonly ProbeTopic[]
  /** What it asks the venue. */
  question: string
} & (
  | { needs: 'reads'; run: (startedAtMs: number) => ProbeSteps }
  | { needs: 'orders'; run: (place: ProbePlace) => ProbeSteps }
  /** Orders so many percent below the last price, as earlier experiments have found it. */
  | { needs: 'distance'; run: (place: ProbePlace, away: number) => ProbeSteps }
  | { needs: 'never'; why: string }
)

export function notFound(about: ProbeTopic, why: string): ProbeResult {
  return {
    about,
    value: null,
    found: `not found out: ${why}`,
    means: 'no setting of the venue file follows from it',
  }
}

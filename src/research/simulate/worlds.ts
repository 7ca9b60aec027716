import type { Switches } from '#src/venues/whitebit/contract/assumptions/switches.ts'
import type { StopOnFailAnswer } from '#src/venues/whitebit/client/answers/bulk-answer.ts'
import { embeddedTerms, type WhitebitTerms } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { keysOf } from '#src/core/objects/objects.ts'

/** Settings of a venue file. */
export type SimulatedTerms = WhitebitTerms & { stopOnFailAnswer?: StopOnFailAnswer }

/** A possible behaviour of the exchange, with the matching settings of the venue file. */
export type SimulatedWorld = { switches: Partial<Switches>; terms: Partial<SimulatedTerms> }

/** Each behaviour that the specification leaves open. A new one is a new row. */
export const worlds = {
  /** Strict nonces, client order ids stay used. */
  usual: { switches: {}, terms: {} },
  /** A client order id is free again when its order has ended. */
  'ids-reusable': { switches: { clientIds: 'live' }, terms: { clientIds: 'unproven' } },
  /** Nonces near the present time. */
  'nonce-window': { switches: { nonce: 'window' }, terms: { nonce: 'window' } },
  /** Nonces near the present time, and ids are free again. */
  'window-ids-reusable': {
    switches: { nonce: 'window', clientIds: 'live' },
    terms: { nonce: 'window', clientIds: 'unproven' },
  },
  /** Lists show what happened 10 s later. */
  'late-history': {
    switches: { historyLag: 10_000, clientIds: 'live' },
    terms: { clientIds: 'unproven', settleMs: 10_000 },
  },
  /** Orders wait 4 s before they are executed. */
  'slow-execution': {
    switches: { executionDelay: 4000, clientIds: 'live' },
    terms: { clientIds: 'unproven', settleMs: 4000 },
  },
  /** A stopped bulk is answered without the order that failed. */
  'stop-absent': { switches: { stopOnFailAnswer: 'absent' }, terms: { stopOnFailAnswer: 'absent' } },
  /** A stopped bulk is answered with an element for each order. */
  'stop-full': { switches: { stopOnFailAnswer: 'full' }, terms: { stopOnFailAnswer: 'full' } },
  /** Too many requests are answered with HTML. */
  'rates-html': { switches: { tooManyRequests: 'html' }, terms: {} },
  /** The balance does not show what open orders hold. */
  'freeze-hidden': { switches: { collateralFreeze: 'hidden' }, terms: { leverage: undefined } },
  /** Refusals have the status 200. */
  'status-200': { switches: { refusalStatus: '200' }, terms: {} },
  /** Refusals have the status 422. */
  'status-422': { switches: { refusalStatus: '422' }, terms: {} },
  /** Open orders have the status ACTIVE. */
  'status-word': { switches: { restingStatus: 'ACTIVE' }, terms: {} },
  /** A post-only order that would trade is cancelled instead of refused. */
  'post-only-canceled': { switches: { postOnlyCross: 'canceled' }, terms: {} },
  /** A bulk holds at most 12 orders. */
  'small-batch': { switches: { batchMax: 12 }, terms: { batchMax: 12 } },
} satisfies Record<string, SimulatedWorld>
export type WorldName = keyof typeof worlds

export const worldNames = keysOf(worlds)

export function termsOf(world: WorldName): SimulatedTerms {
  return { ...embeddedTerms, url: 'http://127.0.0.1:1', ...worlds[world].terms }
}

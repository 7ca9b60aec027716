import type { Switches } from '#src/venues/whitebit/contract/assumptions/switches.ts'
import type { StopOnFailAnswer } from '#src/venues/whitebit/client/answers/bulk-answer.ts'
import { embeddedTerms, type WhitebitTerms } from '#src/venues/whitebit/adapter/whitebit-venue.ts'
import { keysOf } from '#src/core/objects/objects.ts'

/** Settings of a venue file. */
export type SimulatedTerms = WhitebitTerms & { stopOnFailAnswer?: StopOnFailAnswer }

/** A possible behaviour of the exchange, with the matching settings of the venue file. */
export type SimulatedWorld = {
  about: string
  switches: Partial<Switches>
  terms: Partial<SimulatedTerms>
}

/** Each behaviour that the specification leaves open. A new one is a new row. */
export const worlds = {
  usual: { about: 'strict nonces, client order ids stay used', switches: {}, terms: {} },
  'ids-reusable': {
    about: 'a client order id is free again when its order has ended',
    switches: { clientIds: 'live' },
    terms: { clientIds: 'unproven' },
  },
  'nonce-window': {
    about: 'nonces near the present time',
    switches: { nonce: 'window' },
    terms: { nonce: 'window' },
  },
  'window-ids-reusable': {
    about: 'nonces near the present time, and ids are free again',
    switches: { nonce: 'window', clientIds: 'live' },
    terms: { nonce: 'window', clientIds: 'unproven' },
  },
  'late-history': {
    about: 'lists show what happened 10 s later',
    switches: { historyLag: 10_000, clientIds: 'live' },
    terms: { clientIds: 'unproven', settleMs: 10_000 },
  },
  'slow-execution': {
    about: 'orders wait 4 s before they are executed',
    switches: { executionDelay: 4000, clientIds: 'live' },
    terms: { clientIds: 'unproven', settleMs: 4000 },
  },
  'stop-absent': {
    about: 'a stopped bulk is answered without the order that failed',
    switches: { stopOnFailAnswer: 'absent' },
    terms: { stopOnFailAnswer: 'absent' },
  },
  'stop-full': {
    about: 'a stopped bulk is answered with an element for each order',
    switches: { stopOnFailAnswer: 'full' },
    terms: { stopOnFailAnswer: 'full' },
  },
  'rates-html': {
    about: 'too many requests are answered with HTML',
    switches: { tooManyRequests: 'html' },
    terms: {},
  },
  'freeze-hidden': {
    about: 'the balance does not show what open orders hold',
    switches: { collateralFreeze: 'hidden' },
    terms: { leverage: undefined },
  },
  'status-200': { about: 'refusals have the status 200', switches: { refusalStatus: '200' }, terms: {} },
  'status-422': { about: 'refusals have the status 422', switches: { refusalStatus: '422' }, terms: {} },
  'status-word': {
    about: 'open orders have the status ACTIVE',
    switches: { restingStatus: 'ACTIVE' },
    terms: {},
  },
  'post-only-canceled': {
    about: 'a post-only order that would trade is cancelled instead of refused',
    switches: { postOnlyCross: 'canceled' },
    terms: {},
  },
  'small-batch': {
    about: 'a bulk holds at most 12 orders',
    switches: { batchMax: 12 },
    terms: { batchMax: 12 },
  },
} satisfies Record<string, SimulatedWorld>
export type WorldName = keyof typeof worlds

export const worldNames = keysOf(worlds)

export function termsOf(world: WorldName): SimulatedTerms {
  return { ...embeddedTerms, url: 'http://127.0.0.1:1', ...worlds[world].terms }
}

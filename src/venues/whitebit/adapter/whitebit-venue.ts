import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { NonceMode } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { OpenSocket } from '#src/venues/whitebit/client/streams/socket.ts'
import { leverages } from '#src/venues/whitebit/contract/trading/leverages.ts'
import { nonceWindowMs } from '#src/venues/whitebit/contract/wire/envelope.ts'
import type { Clock } from '#src/core/time/clock.ts'
import { NonceRefused, type Declared, type VenueDescription } from '#src/venue/capabilities.ts'
import type { Venue } from '#src/venue/port.ts'
import { accountReads } from './account-reads.ts'
import { cancelMax, cancelOrders } from './cancel-orders.ts'
import { askFlex, askVenue, readVenueTime, type WhitebitDescription } from './describe.ts'
import { investIdleMoney } from './invest-idle-money.ts'
import { marketReads, streamUrlOf } from './market-reads.ts'
import { reasonOf } from './read-of.ts'
import { submitOrders } from './submit-orders.ts'

/** What a venue file says of the venue. */
export type WhitebitTerms = Declared & { url: string; streamUrl?: string | undefined; nonce: NonceMode }

/** Of an embedded exchange on this machine, where its world says nothing else. */
export const embeddedTerms: WhitebitTerms = {
  url: 'http://127.0.0.1',
  nonce: 'strict',
  clientIds: 'forever',
  batchMax: 20,
  leverage: undefined,
  speed: 1,
  settleMs: 0,
  shortSide: true,
  markets: null,
}

export type WhitebitParts = {
  client: Client
  clock: Clock
  terms: WhitebitTerms
  openSocket?: OpenSocket | undefined
  /** From 0 to 1, for the jitter of pauses. */
  random?: (() => number) | undefined
  /** What an earlier `describe` has shown; until then all calls are offered and positions are one-way. */
  known?: Pick<WhitebitDescription, 'profile' | 'hedged'>
}

/** The error of two clocks about each other. */
const clockErrorMs = 2000

/** The adapter for venues of the WhiteBIT family. */
export function whitebitVenue({ client, clock, terms, openSocket, random, known }: WhitebitParts): Venue {
  const about = { hedged: known?.hedged ?? false, profile: known?.profile ?? 'full' }
  const batch = { max: Infinity }
  return {
    address: terms.url,
    cancelMax,
    async describe(): Promise<VenueDescription> {
      // A venue that compares nonces with its time refuses every signed call of a computer whose clock is wrong.
      if (terms.nonce === 'window') await readVenueTime(client)
      const described = await askVenue(client, terms).catch(async (error: unknown) => {
        // With a clock that is behind, the next attempt passes the nonces of another program by the time of the venue.
        if (error instanceof NonceRefused) await readVenueTime(client)
        throw error
      })
      Object.assign(about, { hedged: described.hedged ?? false, profile: described.profile })
      return described
    },
    offers: async (capability) => (capability === 'flex' ? askFlex(client) : null),
    async time() {
      const answer = await client.time()
      return answer.kind === 'answer' ? answer.value.time * 1000 : null
    },
    submit: (orders, policy) => submitOrders({ client, batch, hedged: about.hedged }, orders, policy),
    cancel: (orders, wanted) => cancelOrders(client, orders, wanted),
    async fence(pause) {
      // The venue takes a nonce of this kind for as long as the window is wide, whatever came after it.
      if (terms.nonce === 'window' && !(await pause(nonceWindowMs + clockErrorMs))) return false
      // Calls leave one after the other with rising nonces, and every submit has returned.
      const later = await client.tradingBalance({}, { homeOnly: true })
      return later.kind === 'answer'
    },
    account: accountReads(client, () => about.profile),
    market: marketReads({ client, clock, streamUrl: streamUrlOf(terms), openSocket, random }),
    async setLeverage(leverage) {
      const wanted = leverages.find((each) => each === leverage)
      if (wanted === undefined) return { kind: 'failed', reason: `the venue offers ${leverages.join(', ')}` }
      if (about.profile === 'spec')
        return { kind: 'failed', reason: 'the venue offers the documented calls alone' }
      const outcome = await client.setLeverage({ leverage: wanted })
      return outcome.kind === 'accepted' ? { kind: 'done' } : { kind: 'failed', reason: reasonOf(outcome) }
    },
    async deadman(market, silenceMs) {
      const timeout = String(silenceMs / 1000)
      const outcome = await client.killSwitch({ market, timeout }, { priority: 'exits' })
      return outcome.kind === 'accepted' ? { kind: 'done' } : { kind: 'failed', reason: reasonOf(outcome) }
    },
    invest: (order, signal) => investIdleMoney(client, order, signal),
    close: () => client.close(),
  }
}

import { createClient, type Client } from '#src/venues/whitebit/client/client.ts'
import type { ClientOptions } from '#src/venues/whitebit/client/calls/dispatcher.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { nonceFile } from '#src/venues/whitebit/client/calls/nonce-file.ts'
import { Nonces, type NonceMemory } from '#src/venues/whitebit/client/calls/nonces.ts'
import type { Transport } from '#src/venues/whitebit/client/transport/transport.ts'
import { isLoopback } from '#src/core/network/loopback.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import type { VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { systemClock, type Clock } from '#src/core/time/clock.ts'
import { fingerprintOf, nonceFilePath } from './state-folder.ts'

type Venue = Pick<VenueSettings, 'url' | 'credentials' | 'spelling'> & Partial<VenueSettings>

type ClientSetup = Pick<ClientOptions, 'clock' | 'random' | 'keepRates' | 'onTurn' | 'mayCallMs'> & {
  /** Without nonces, the client makes public calls only. */
  nonces?: Nonces | undefined
  /** Aborts calls in flight. */
  signal?: AbortSignal
  /** Connections for concurrent calls. */
  connections?: number
  /** Whether the second address answers reads that the home address leaves unanswered. */
  readsAnywhere?: boolean
  /** Wraps the transport, for a recording. */
  around?: (inner: Transport) => Transport
}

/** A client of a venue. Its pauses are the shortest: a person prefers an immediate "no answer" to one some seconds later. */
export function clientOf(venue: Venue, setup: ClientSetup = {}): Client {
  const { url, euUrl, credentials, spelling, stopOnFailAnswer } = venue
  const { nonces, signal, connections = 1, readsAnywhere = false, around = (inner) => inner, ...rest } = setup
  const transportTo = (address: string) =>
    around(httpTransport(address, { connections, hide: hiding(venue), ...(signal && { signal }) }))
  return createClient({
    transport: transportTo(url),
    ...(readsAnywhere && euUrl !== undefined && { secondTransport: transportTo(euUrl) }),
    ...(credentials && nonces && { key: { credentials, nonces } }),
    spelling,
    stopOnFailAnswer,
    random: () => 0,
    ...rest,
  })
}

/** The nonces of a venue's key; without a state folder, they are not stored. */
export function noncesOf(
  { credentials, nonce: mode }: VenueSettings,
  stateDir: string | undefined,
  { clock, around }: NonceSetup = { clock: systemClock, around: (inner) => inner },
  /** What another machine knows of nonces of this key. */
  elsewhere: (inner: NonceMemory) => NonceMemory = (inner) => inner,
): Nonces | undefined {
  if (credentials === undefined) return undefined
  const memory =
    stateDir === undefined
      ? undefined
      : around(elsewhere(nonceFile(nonceFilePath(stateDir, credentials.key))))
  return new Nonces({ clock, mode, ...(memory && { memory }) })
}

type NonceSetup = { clock: Clock; around: (inner: NonceMemory) => NonceMemory }

/** Real orders need two confirmations, the second of which names the account. */
export function refuseUnlessMeant(venue: VenueSettings, live: boolean): void {
  if (isLoopback(venue.url)) return
  if (!live) throw new BotError('NOT_MEANT_TO_BE_REAL', { seen: `${venue.url} without --live` })
  const fingerprint = fingerprintOf(venue.credentials?.key ?? '')
  if (venue.account === fingerprint) return
  const seen =
    venue.account === undefined
      ? 'the venue file names no account'
      : `the venue file names the account ${venue.account}, and its API key belongs to another account`
  throw new BotError('NOT_MEANT_TO_BE_REAL', {
    seen,
    fix: `If the key is correct, write into the venue file: account: ${fingerprint}`,
  })
}

/** Removes the key and the secret of a venue from what the venue, or a gateway before it, sends. */
export function hiding(venue: Pick<VenueSettings, 'credentials'>): (text: string) => string {
  const secrets = secretsOf(venue)
  return (text) => secrets.reduce((rest, secret) => secret.hiddenIn(rest), text)
}

/** Texts that must appear in no log and on no tape. */
export function secretsOf({ credentials }: Pick<VenueSettings, 'credentials'>): Secret[] {
  return credentials === undefined ? [] : [new Secret(credentials.key), credentials.secret]
}

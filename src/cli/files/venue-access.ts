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

/** Connections for concurrent calls, and one for the calls that need an order. */
const connections = 4

/** Wraps the transport of a client while it is recorded. */
type Between = {
  clock: Clock
  random: () => number
  around: (inner: Transport) => Transport
  memoryAround: (inner: NonceMemory) => NonceMemory
}

const nothingBetween: Between = {
  clock: systemClock,
  random: Math.random,
  around: (inner) => inner,
  memoryAround: (inner) => inner,
}

/** A client for a long-running process; the signal aborts calls in flight. */
export function clientOf(
  venue: VenueSettings,
  about: {
    stateDir: string
    speed: number
    onTurn: NonNullable<ClientOptions['onTurn']>
    signal: AbortSignal
    between: Between | undefined
    /** Receives notices about the nonces of the key, for the operator. */
    onNotice: (message: string) => void
  },
): Client {
  const { stateDir, speed, onTurn, signal, onNotice, between = nothingBetween } = about
  const { credentials, euUrl, url, spelling, stopOnFailAnswer, nonce: mode } = venue
  if (credentials === undefined) throw new BotError('KEY_MISSING', { seen: `${url} needs an API key` })
  const { clock, random, around, memoryAround } = between
  const hide = hiding(venue)
  const memory = memoryAround(nonceFile(nonceFilePath(stateDir, credentials.key)))
  const nonces = new Nonces({ clock, mode, memory })
  if (nonces.notice !== undefined) onNotice(nonces.notice)
  return createClient({
    transport: around(httpTransport(url, { connections, signal, hide })),
    ...(euUrl !== undefined && {
      secondTransport: around(httpTransport(euUrl, { connections, signal, hide })),
    }),
    key: { credentials, nonces },
    clock,
    random,
    spelling,
    stopOnFailAnswer,
    // Limits count in the venue's time: if that runs faster than ours, our time would make them too strict.
    keepRates: speed === 1,
    onTurn,
  })
}

/** For public calls: without a key, and with its own connections. */
export function publicClientOf(venue: VenueSettings, speed: number, signal: AbortSignal): Client {
  const { url, spelling } = venue
  const transport = httpTransport(url, { connections: 1, signal, hide: hiding(venue) })
  return createClient({ transport, spelling, keepRates: speed === 1 })
}

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
export function hiding(venue: VenueSettings): (text: string) => string {
  const secrets = secretsOf(venue)
  return (text) => secrets.reduce((rest, secret) => secret.hiddenIn(rest), text)
}

/** Texts that must appear in no log and on no tape. */
export function secretsOf({ credentials }: VenueSettings): Secret[] {
  return credentials === undefined ? [] : [new Secret(credentials.key), credentials.secret]
}

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

/** Calls that need no order among them, and the one that does, each find a connection. */
const connections = 4

/** What stands between a client and its line while that is recorded. */
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

/** A client for a process that stays; the signal ends what is in flight. */
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
    // Limits are counted in the venue's time: where it runs faster than ours, ours would be as many times as strict.
    keepRates: speed === 1,
    onTurn,
  })
}

/** For what anybody may ask: without a key, and on connections of its own. */
export function publicClientOf(venue: VenueSettings, speed: number, signal: AbortSignal): Client {
  const { url, spelling } = venue
  const transport = httpTransport(url, { connections: 1, signal, hide: hiding(venue) })
  return createClient({ transport, spelling, keepRates: speed === 1 })
}

/** Nothing leaves this machine by mistake: whoever means it says so twice, and which account he means. */
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

/** Takes the key and the secret of a venue out of what the venue, or a gateway before it, sends. */
export function hiding(venue: VenueSettings): (text: string) => string {
  const secrets = secretsOf(venue)
  return (text) => secrets.reduce((rest, secret) => secret.hiddenIn(rest), text)
}

/** What may stand in no log and on no tape. */
export function secretsOf({ credentials }: VenueSettings): Secret[] {
  return credentials === undefined ? [] : [new Secret(credentials.key), credentials.secret]
}

import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '#src/client/client.ts'
import { httpTransport } from '#src/client/http.ts'
import { nonceFile } from '#src/client/nonce-file.ts'
import { Nonces } from '#src/client/nonce.ts'
import type { Endpoint } from '#src/contract/endpoint.ts'
import { contract, type EndpointName } from '#src/contract/table.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { exitCodes } from '#src/errors/catalogue.ts'
import { loadVenue, type Venue } from '#src/settings/venue.ts'
import { systemClock } from '#src/time/clock.ts'
import type { CallFlags } from './api-arguments.ts'
import { reportOutcome } from './api-outcome.ts'
import { maskedRequest, previewRequest, shownBody } from './api-preview.ts'
import { ask } from './ask.ts'

const paperVenue = fileURLToPath(new URL('../../config/paper.yaml', import.meta.url))

/** One call from the command line: previewed, confirmed where it changes something, sent, and told. */
export async function callEndpoint(
  name: EndpointName,
  parameters: Record<string, unknown>,
  flags: CallFlags,
): Promise<number> {
  const row: Endpoint = contract[name]
  const venue = loadVenue({
    path: flags.values.venue ?? process.env['RUNGS_VENUE'] ?? paperVenue,
    flags: { url: flags.values.url, euUrl: flags.values['eu-url'] },
  })
  const preview = previewRequest(row, parameters, venue)
  if (flags.given.has('dry-run')) {
    process.stdout.write(`${maskedRequest(preview, venue, flags.given.has('json'))}\n`)
    return exitCodes.ok
  }
  if (row.effect === 'write' && !flags.given.has('yes')) await confirm(name, venue, shownBody(preview))
  const client = clientFor(venue, flags.values['state-dir'] ?? process.env['RUNGS_STATE_DIR'] ?? '.rungs')
  try {
    const outcome = await client.call(name, parameters)
    return reportOutcome(outcome, { name, row, url: venue.url, asJson: flags.given.has('json') })
  } finally {
    await client.close()
  }
}

async function confirm(name: EndpointName, venue: Venue, body: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new BotError('NOT_CONFIRMED', { seen: `${name} changes something at ${venue.url}` })
  }
  process.stderr.write(`${body}\n`)
  if (!(await ask(`Send this to ${venue.url}? [y/N] `))) {
    throw new BotError('NOT_CONFIRMED', {
      seen: `${name} at ${venue.url} was not wanted`,
      fix: 'Nothing to do',
    })
  }
}

function clientFor(venue: Venue, stateDir: string) {
  return createClient({
    transport: httpTransport(venue.url),
    ...(venue.euUrl === undefined ? {} : { secondTransport: httpTransport(venue.euUrl) }),
    ...(venue.credentials === undefined
      ? {}
      : {
          key: {
            credentials: venue.credentials,
            nonces: new Nonces({
              clock: systemClock,
              mode: venue.nonce,
              memory: nonceFile(nonceFilePath(stateDir, venue.credentials.key)),
            }),
          },
        }),
    spelling: venue.spelling,
  })
}

/** One file for each key; its name does not tell the key. */
function nonceFilePath(stateDir: string, key: string): string {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw new BotError('FILE_UNREADABLE', {
      seen: `${stateDir} cannot be made${reason}`,
      fix: 'Name a folder that you may write to with --state-dir',
      cause,
    })
  }
  return join(stateDir, `nonce-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`)
}

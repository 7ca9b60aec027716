import { fileURLToPath } from 'node:url'
import type { Endpoint } from '#src/contract/endpoint.ts'
import { contract, type EndpointName } from '#src/contract/table.ts'
import { BotError } from '#src/errors/bot-error.ts'
import { exitCodes } from '#src/errors/catalogue.ts'
import { loadVenue, type Venue } from '#src/settings/venue.ts'
import { kebab } from './api-fields.ts'
import type { CallFlags } from './api-arguments.ts'
import { reportOutcome } from './api-outcome.ts'
import { maskedRequest, previewRequest, shownBody } from './api-preview.ts'
import { ask } from './ask.ts'
import { stateFolder } from './state-folder.ts'

const paperVenue = fileURLToPath(new URL('../../config/paper.yaml', import.meta.url))

/** One call from the command line: previewed, confirmed where it changes something, sent, and told. */
export async function callEndpoint(
  name: EndpointName,
  parameters: Record<string, unknown>,
  { given, values }: CallFlags,
): Promise<number> {
  const row: Endpoint = contract[name]
  const venue = loadVenue({
    path: values.venue ?? process.env['RUNGS_VENUE'] ?? paperVenue,
    flags: { url: values.url, euUrl: values['eu-url'] },
  })
  const asJson = given.has('json')
  const preview = previewRequest(row, parameters, venue)
  if (given.has('dry-run')) {
    process.stdout.write(`${maskedRequest(preview, venue, asJson)}\n`)
    return exitCodes.ok
  }
  if (row.effect === 'write' && !given.has('yes')) await confirm(name, venue, shownBody(preview))
  const { send } = await import('./api-send.ts')
  const outcome = await send(name, parameters, venue, stateFolder(values['state-dir']))
  return reportOutcome(outcome, { name, row, url: venue.url, asJson })
}

async function confirm(name: EndpointName, venue: Venue, body: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new BotError('NOT_CONFIRMED', { seen: `${kebab(name)} changes data at ${venue.url}` })
  }
  process.stderr.write(`${body}\n`)
  if (!(await ask(`Send this to ${venue.url}? [y/N] `))) {
    throw new BotError('NOT_CONFIRMED', {
      seen: `${kebab(name)} at ${venue.url} was not confirmed`,
      fix: 'Answer y, or pass --yes',
    })
  }
}

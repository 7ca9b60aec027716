import { fileURLToPath } from 'node:url'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { loadVenueFile } from '#src/venues/whitebit/settings/venue-file.ts'
import { kebab } from './fields.ts'
import type { CallFlags } from './arguments.ts'
import { reportOutcome } from './outcome-text.ts'
import { maskedRequest, previewRequest, shownBody } from './request-preview.ts'
import { confirm } from '#src/cli/words/confirm.ts'
import { stateFolder } from '#src/cli/files/state-folder.ts'
import { printed } from '#src/cli/words/printed.ts'

const paperVenue = fileURLToPath(new URL('../../../config/paper.yaml', import.meta.url))

/**
 * Makes one call from the command line: previews it, asks for confirmation if it changes something, sends it and prints the
 * answer.
 */
export async function callEndpoint(
  name: EndpointName,
  parameters: Record<string, unknown>,
  { given, values }: CallFlags,
): Promise<number> {
  const row: Endpoint = contract[name]
  const venue = loadVenueFile({
    path: values.venue ?? process.env['RUNGS_VENUE'] ?? paperVenue,
    flags: { url: values.url, euUrl: values['eu-url'] },
  })
  const asJson = given.has('json')
  const preview = previewRequest(row, parameters, venue)
  if (given.has('dry-run')) {
    return printed(maskedRequest(preview, venue, asJson))
  }
  if (row.effect === 'write' && !given.has('yes')) {
    const seen = `${kebab(name)} changes data at ${venue.url}`
    await confirm({ seen, question: `Send this to ${venue.url}?`, details: shownBody(preview) })
  }
  const { send } = await import('./send.ts')
  const { outcome, body } = await send(name, parameters, venue, stateFolder(values['state-dir']))
  return reportOutcome(outcome, { name, row, url: venue.url, asJson, body })
}

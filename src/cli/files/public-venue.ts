import { existsSync } from 'node:fs'
import { BotError } from '#src/core/errors/bot-error.ts'
import { addressMistake } from '#src/core/network/address.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import { loadVenueFile, type VenueSettings } from '#src/venues/whitebit/settings/venue-file.ts'
import { noAnswer } from '#src/cli/check/venue-rules.ts'
import { usage } from '#src/cli/words/usage.ts'

/** A venue for public calls. */
export type PublicVenue = Pick<VenueSettings, 'url' | 'streamUrl' | 'credentials' | 'spelling'>

const deadlineMs = 20_000

/** A URL, or a venue file, whose key is not used. */
export function publicVenue(word: string): PublicVenue {
  if (/^[\w.-]+:\d+$/.test(word) && !existsSync(word))
    throw new BotError('SETTING_INVALID', {
      seen: `--venue ${word} is no file, and an address begins with http:// or https://`,
    })
  if (!/^https?:/.test(word)) return loadVenueFile({ path: word })
  const mistake = addressMistake(word)
  if (mistake !== undefined) throw new BotError('SETTING_INVALID', { seen: `--venue ${mistake}` })
  return { url: new URL(word).origin, streamUrl: undefined, credentials: undefined, spelling: 'spec' }
}

/** Throws if one of the markets is not a market of the venue. */
export async function refuseUnknownMarkets(
  client: Pick<Client, 'markets'>,
  url: string,
  markets: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const outcome = await client.markets({}, { deadlineMs })
  if (signal.aborted) return
  if (outcome.kind !== 'answer') throw noAnswer(url, outcome)
  const known = outcome.value.map(({ name }) => name)
  const unknown = markets.find((market) => !known.includes(market))
  if (unknown === undefined) return
  throw usage(
    `"${unknown.slice(0, 40)}" is not a market of ${url}${suggestion(unknown, known)}`,
    `Use one of ${known.slice(0, 20).join(', ')}`,
  )
}

import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { Sources } from '#src/exchange/simulation/begin-simulation.ts'
import type { ExchangeState } from './state.ts'
import type { Entry, Key, Profile } from './venue-context.ts'
import type { World } from './world-file.ts'

export type ExchangeOptions = {
  world: World
  /** Chance: the same seed and requests give the same ids. Keep it secret where codes are worth something. */
  seed: string
  /** When the world begins, or the state it goes on from. */
  begin: number | ExchangeState
  /** What moves the markets besides those who trade there. */
  sources?: Sources
  profile?: Profile
  spelling?: Spelling
  record?: (entry: Entry) => void
  /** What checks the signatures of a key; unless said otherwise its secret itself. */
  secretOf?: (secret: string) => Key['secret']
}

import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import type { Sources } from '#src/exchange/simulation/begin-simulation.ts'
import type { ExchangeState } from './state.ts'
import type { Entry, Key, Profile } from './venue-context.ts'
import type { World } from './world-file.ts'

export type ExchangeOptions = {
  world: World
  /**
   * Seed of the random numbers: the same seed and the same requests give the same ids. Keep it secret where transfer
   * codes have a value.
   */
  seed: string
  /** The start time of a new world, or a stored state to continue. */
  begin: number | ExchangeState
  /** What moves the prices beside the orders of the accounts. */
  sources?: Sources
  profile?: Profile
  spelling?: Spelling
  record?: (entry: Entry) => void
  /** Makes the object that verifies the signatures of a key; by default from the secret itself. */
  secretOf?: (secret: string) => Key['secret']
}

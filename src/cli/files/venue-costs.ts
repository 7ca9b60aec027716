import { readYaml } from '#src/core/yaml/yaml-file.ts'
import type { CostsByMarket } from '#src/exchange/world-costs.ts'
import { venueSchema } from '#src/venues/whitebit/settings/venue-file.ts'

/** What the venue of this file charges and demands. A section that is missing changes nothing. */
export function venueCosts(path: string): CostsByMarket {
  return readYaml(path, venueSchema, { confidential: true }).markets
}

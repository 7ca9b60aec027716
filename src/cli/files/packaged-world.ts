import { fileURLToPath } from 'node:url'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { worldSchema, type World } from '#src/exchange/world-file.ts'

/** The world file of the package. */
export const packagedWorld = fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url))

export function readWorld(path = packagedWorld): World {
  return readYaml(path, worldSchema, { confidential: true })
}

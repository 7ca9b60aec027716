import { fileURLToPath } from 'node:url'

/** The world file of the package. */
export const packagedWorld = fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url))

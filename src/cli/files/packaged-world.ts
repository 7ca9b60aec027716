import { fileURLToPath } from 'node:url'

/** The world that comes with the package. */
export const packagedWorld = fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url))

import { time } from './ping.ts'

/** The public rows beyond spec.md: markets, their rules and their prices. */
export const marketRows = {
  time,
}

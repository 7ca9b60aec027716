import { z } from 'zod'

const holding = z.object({
  market: z.string(),
  position: z.string(),
  /** The amount at the present price, in the money of the market; null without a price. */
  value: z.string().nullable(),
})

const strategy = z.object({
  name: z.string(),
  /** The beginning of the hash of its text. */
  text: z.string(),
  running: z.boolean(),
  halted: z.string().nullable(),
  paused: z.boolean(),
  flattening: z.enum(['closing', 'done']).nullable(),
  result: z.string(),
  /** Orders that are open or may be. */
  orders: z.int(),
  holdings: z.array(holding),
})

const schema = z.object({
  version: z.string(),
  /** Why all entries are stopped. */
  stopped: z.string().nullable(),
  /** How bot and venue disagree. */
  drift: z.string().nullable(),
  /** Why the account cannot be read. */
  lost: z.string().nullable(),
  equity: z.string().nullable(),
  /** Alerts and errors since the process began. */
  alerts: z.int(),
  strategies: z.array(strategy),
})

/** What a process that trades reports of itself. */
export type MemberReport = z.output<typeof schema>

/** Undefined for a report of another version that this program cannot read. */
export function parseReport(text: string): MemberReport | undefined {
  return schema.safeParse(JSON.parse(text)).data
}

/** What a process that waits for the lease reports of itself. */
export type StandbyReport = { reachesVenue: boolean }

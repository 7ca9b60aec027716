import { z } from 'zod'

/** The streams, as both sides have to know them: their limits, their errors, and why they end. */
export const streamPath = '/ws'

/** A connection on which the client has said nothing for so long is closed. */
export const idleMs = 60_000
export const requestBytesMax = 16 * 1024
export const connectionLimit = { calls: 1000, perMs: 60_000 }
export const requestLimit = { calls: 200, perMs: 60_000 }

export const streamErrors = {
  invalid: { code: 1, message: 'invalid argument' },
  methodUnknown: { code: 4, message: 'method not found' },
  unauthorized: { code: 6, message: 'require authentication' },
  tooMany: { code: 7, message: 'too many requests' },
  marketUnknown: (name: string) => ({ code: 9, message: `market ${name} does not exist` }),
} as const

/** Why a connection is closed (RFC 6455 §7.4): the codes say it, the words are for a person. */
export type Closing = { code: number; reason: string }
export const closings = {
  idle: { code: 1000, reason: 'No frame for a minute' },
  ending: { code: 1001, reason: 'The service is shutting down' },
  notJson: { code: 1007, reason: 'Not JSON' },
  tokenEmpty: { code: 1008, reason: 'The token is empty' },
  tooSlow: { code: 1013, reason: 'The client reads too slowly' },
} as const satisfies Record<string, Closing>

/** The first word of an update of resting orders. */
export const orderEvents = { rests: 1, changed: 2, ended: 3 } as const

export const depthLimits = [1, 5, 10, 20, 30, 50, 100] as const
/** Prices are joined to steps of this size; a step below the market's own changes nothing. */
export const depthIntervals = [
  '0',
  '0.00000001',
  '0.0000001',
  '0.000001',
  '0.00001',
  '0.0001',
  '0.001',
  '0.01',
  '0.1',
] as const
export const depthLimit = z.literal(depthLimits)
export const depthInterval = z.literal(depthIntervals)

import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Untimed } from './driver.ts'

/** Logs an event from outside of the engine; the receiver adds the time. */
export type LogEvent = (event: Untimed<BotEvent>) => void

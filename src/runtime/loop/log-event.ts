import type { BotEvent } from '#src/core/log-events/vocabulary.ts'
import type { Untimed } from './driver.ts'

/** Says what happened beside the engine; the time is added where it is written down. */
export type LogEvent = (event: Untimed<BotEvent>) => void

import type { BotEvent } from '#src/logs/events.ts'

type Untimed<Some> = Some extends { at: number } ? Omit<Some, 'at'> : never
/** Says what happened beside the engine; the time is added where it is written down. */
export type Say = (event: Untimed<BotEvent>) => void

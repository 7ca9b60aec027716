import { z } from 'zod'
import type { Clock } from '#src/core/time/clock.ts'
import { jsonIn } from '#src/core/objects/json.ts'
import type { NonceMemory, Nonces, NonceTrace } from './nonces.ts'

/** A newer program may write other fields as well. */
const traceSchema = z.object({
  ceiling: z.int().min(0),
  recent: z
    .array(z.object({ agoMs: z.int(), calls: z.int().min(0), path: z.string().optional() }))
    .nullable(),
})

/**
 * What a process on another machine must know of the calls of this one: a text for the case that this one calls for so long at
 * most. Once the text is stored, the nonces of this process stay below what it says.
 */
export function passedTrace(nonces: Nonces): { text(withinMs: number): string; stored(text: string): void } {
  return {
    text: (withinMs) => JSON.stringify(nonces.foresee(withinMs)),
    stored: (text) => nonces.limitTo(traceSchema.parse(jsonIn(text)).ceiling),
  }
}

/** Nonces continue above those of a process on another machine, whatever the memory of this machine says. */
export function nonceMemoryAfter(
  trace: { text: string; agoMs: number } | undefined,
  clock: Pick<Clock, 'monotonic'>,
): (own: NonceMemory) => NonceMemory {
  if (trace === undefined) return (own) => own
  const before = traceOf(trace, clock)
  return (own) => ({
    load: () => {
      const found = own.load()
      return found !== undefined && !('unread' in found) && found.ceiling > before.ceiling ? found : before
    },
    save: (value) => own.save(value),
  })
}

function traceOf(
  { text, agoMs }: { text: string; agoMs: number },
  clock: Pick<Clock, 'monotonic'>,
): NonceTrace {
  const { ceiling, recent } = traceSchema.parse(jsonIn(text))
  const aged =
    recent?.map((one) => ({ agoMs: Math.floor(one.agoMs + agoMs), calls: one.calls, path: one.path })) ?? null
  return { ceiling, recent: aged, monotonicMs: clock.monotonic() }
}

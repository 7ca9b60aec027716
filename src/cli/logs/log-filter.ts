import { momentOf } from '#src/cli/words/flags.ts'
import { usage } from '#src/cli/words/usage.ts'
import { vocabulary } from '#src/core/log-events/vocabulary.ts'
import { suggestion } from '#src/core/yaml/suggestion.ts'
import { duration } from '#src/strategy/schema/quantities.ts'
import type { Said } from '#src/cli/words/event-text.ts'

export type SieveFlags = {
  strategy?: string
  market?: string
  order?: string
  level: string
  type?: string[]
}

export const levels = ['debug', 'info', 'warn', 'error']

/** Whether an event passes these flags. `since` is a time in the format of the log. */
export function sieve({ strategy, market, order, level, type, since }: SieveFlags & { since: string }) {
  const least = levels.indexOf(level)
  for (const name of type ?? []) refuseUnknown(name)
  return (event: Said): boolean =>
    levels.indexOf(event.level) >= least &&
    event.time >= since &&
    (type?.some((name) => fits(event.type, name)) ?? true) &&
    (strategy === undefined || strategiesOf(event).includes(strategy)) &&
    (market === undefined || event['market'] === market) &&
    (order === undefined || `${String(event['order'])}.`.startsWith(`${order}.`))
}

function fits(type: string, name: string): boolean {
  return name.endsWith('*') ? type.startsWith(name.slice(0, -1)) : type === name
}

/** Events that concern these strategies. */
export function strategiesOf(event: Said): string[] {
  const { strategy, strategies } = event
  const named = [strategy, ...(Array.isArray(strategies) ? strategies : [])]
  return named.filter((name) => typeof name === 'string')
}

/** A misspelled type would show nothing, as if nothing had happened. */
function refuseUnknown(name: string): void {
  const known = Object.keys(vocabulary)
  if (known.some((type) => fits(type, name))) return
  throw usage(
    `there is no event "${name.slice(0, 40)}"${suggestion(name, known)}`,
    'See docs/operations.md for all events; order-* selects all events whose names start with order-',
  )
}

/** A duration before now, or a date, as a time in the format of the log. */
export function sinceOf(text: string, now: number): string {
  const span = duration.safeParse(text)
  if (span.success) return new Date(now - span.data).toISOString()
  if (/^\d{4}-/.test(text)) return new Date(momentOf(text)).toISOString()
  throw usage(
    `"${text.slice(0, 40)}" is neither a duration nor a time`,
    'Write a value such as 10m, 2h, 3d or 2026-11-21T14:00Z',
  )
}

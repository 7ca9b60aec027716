import { minuteOfDay, weekdayOf } from './schedule.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** A time zone changes its distance from UTC only at these moments. */
const quarterMs = 15 * minuteMs

type Zone = { format: Intl.DateTimeFormat; quarter: number; offsetMs: number }
const zones = new Map<string, Zone>()

/** Whether it is a name of the time zone database, such as `America/New_York`. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]+(?:\/[\w+-]+)+$/.test(name)) return false
  try {
    return zoneOf(name) !== undefined
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** The time of day in minutes, and the day of the week counted from Sunday. */
export function localTime(name: string, at: number): { minute: number; weekday: number } {
  const local = at + offsetOf(name, at)
  return { minute: minuteOfDay(local), weekday: weekdayOf(local) }
}

/** When it is this minute of the day there next, or the next moment at which the zone can change, whichever is first. */
export function nextLocalMinute(name: string, minute: number, at: number): number {
  const offset = offsetOf(name, at)
  const local = at + offset
  const today = local - (local % dayMs) + minute * minuteMs
  const next = (today > local ? today : today + dayMs) - offset
  return Math.min(next, at - (at % quarterMs) + quarterMs)
}

/** How far the clocks there are ahead of UTC. */
function offsetOf(name: string, at: number): number {
  const zone = zoneOf(name)
  const quarter = Math.floor(at / quarterMs)
  if (zone.quarter === quarter) return zone.offsetMs
  const parts = new Map(zone.format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  zone.quarter = quarter
  zone.offsetMs = local - (at - (at % minuteMs))
  return zone.offsetMs
}

function zoneOf(name: string): Zone {
  let zone = zones.get(name)
  if (!zone) {
    const numeric = 'numeric' as const
    const fields = { year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric }
    const format = new Intl.DateTimeFormat('en-US', { ...fields, hourCycle: 'h23', timeZone: name })
    zones.set(name, (zone = { format, quarter: NaN, offsetMs: 0 }))
  }
  return zone
}

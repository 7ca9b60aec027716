/** Days of the week, counted from Sunday, and minutes of the day in UTC. */
export type Schedule = { days: boolean[]; minutes: number[] }

const dayMs = 86_400_000
const minuteMs = 60_000
export const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
/** The first of January 1970 was a Thursday. */
const firstDay = 4

/** Parses text such as `Mon,Thu 12:00,18:00 UTC`, which the schema has checked. */
export function scheduleOf(text: string): Schedule {
  const [days = '', times = ''] = text.split(' ')
  const named: readonly string[] = days.split(',')
  return {
    days: dayNames.map((name) => days === 'daily' || named.includes(name)),
    minutes: times.split(',').map(minuteOf),
  }
}

/** The last due time at or before `at`, which may be before 1970. */
export function lastDue(schedule: Schedule, at: number): number {
  return Math.max(...dueTimes(schedule, at, -1))
}

/** The next due time after `at`. */
export function nextDue(schedule: Schedule, at: number): number {
  return Math.min(...dueTimes(schedule, at, 1))
}

/** For each minute of the day, the nearest due time in one direction. */
function dueTimes({ days, minutes }: Schedule, at: number, direction: -1 | 1): number[] {
  return minutes.map((minute) => {
    const today = Math.floor((at - minute * minuteMs) / dayMs)
    let day = direction === 1 ? today + 1 : today
    while (days.at((day + firstDay) % days.length) !== true) day += direction
    return day * dayMs + minute * minuteMs
  })
}

/** The shortest time between two due times. */
export function shortestGap(schedule: Schedule): number {
  let [least, last] = [Infinity, lastDue(schedule, 0)]
  for (let due = nextDue(schedule, last); last < 7 * dayMs; due = nextDue(schedule, due)) {
    least = Math.min(least, due - last)
    last = due
  }
  return least
}

/** The minute of the day of a checked text that begins with HH:MM. */
export function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
}

export function minuteOfDay(at: number): number {
  return Math.floor((at % dayMs) / minuteMs)
}

/** Counted from Sunday. */
export function weekdayOf(at: number): number {
  return (Math.floor(at / dayMs) + firstDay) % dayNames.length
}

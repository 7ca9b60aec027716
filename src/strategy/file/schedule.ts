/** Days of the week, counted from Sunday, and the minute of the day in UTC. */
export type Schedule = { days: boolean[]; minute: number }

const dayMs = 86_400_000
const minuteMs = 60_000
const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
/** The first of January 1970 was a Thursday. */
const firstDay = 4

/** Parses text such as `Mon,Thu 12:00 UTC`, which the schema has checked. */
export function scheduleOf(text: string): Schedule {
  const [days = '', time = ''] = text.split(' ')
  const [hour, minute] = time.split(':')
  const named = days.split(',')
  return {
    days: dayNames.map((name) => days === 'daily' || named.includes(name)),
    minute: Number(hour) * 60 + Number(minute),
  }
}

/** The last due time at or before `at`, which may be before 1970. */
export function lastDue({ days, minute }: Schedule, at: number): number {
  let day = Math.floor((at - minute * minuteMs) / dayMs)
  while (days.at((day + firstDay) % days.length) !== true) day--
  return day * dayMs + minute * minuteMs
}

/** The next due time after `at`. */
export function nextDue(schedule: Schedule, at: number): number {
  const last = lastDue(schedule, at)
  for (let day = 1; ; day++) {
    const due = lastDue(schedule, last + day * dayMs)
    if (due > at) return due
  }
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

export function minuteOfDay(at: number): number {
  return Math.floor((at % dayMs) / minuteMs)
}

import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { keysOf } from '#src/core/objects/objects.ts'
import { usage } from '#src/cli/words/usage.ts'

export const stateDirFlag = {
  '--state-dir <folder>': 'State folder: journal, logs and nonces (default: RUNGS_STATE_DIR, else .rungs)',
}

const speedMost = 1000

export function speedOf(text: string): number {
  const speed = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : Infinity
  if (speed <= speedMost) return speed
  throw usage(`"${text.slice(0, 20)}" is not a speed`, `Write a whole number from 1 to ${speedMost}`)
}

const spanUnitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

export function spanOf(text: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})(ms|[smhd])$/.exec(text) ?? []
  const ms = Number(count) * (spanUnitsMs[unit] ?? 0)
  // A timer cannot wait longer.
  if (ms > 0 && ms < 2 ** 31) return ms
  throw usage(
    `"${text.slice(0, 20)}" is not a duration`,
    'Write a duration such as 30s, 10m or 8h, at most 24 days',
  )
}

const [leaseMsLeast, leaseMsMost] = [500, 300_000]

/** The term of a lease: several queries to a server must fit into it. */
export function leaseOf(text: string): number {
  const ms = spanOf(text)
  if (ms >= leaseMsLeast && ms <= leaseMsMost) return ms
  throw usage(`--lease cannot be ${text}`, 'Write a duration from 500ms to 5m, such as 2s')
}

/** A day, or a time of day: in UTC unless it names an offset. */
export function momentOf(text: string): number {
  const [, day, time = '00:00', seconds = ':00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? []
  const at = Date.parse(`${day}T${time}${seconds}${zone}`)
  // `Date` would read the 30th of February as the 2nd of March.
  if (Number.isFinite(at) && new Date(Date.parse(`${day}`)).toISOString().startsWith(`${day}`)) return at
  throw usage(
    `"${text.slice(0, 40)}" is not a time`,
    'Write a day such as 2026-01-31, or a UTC time such as 2026-01-31T14:30Z',
  )
}

/** The histories that public calls of a venue return. */
export function historyOf(text: string): 'bars' | 'funding' {
  if (text === 'bars' || text === 'funding') return text
  const fix =
    text === 'trades'
      ? 'Public calls return only the last 100 trades. Record new trades with rungs record'
      : 'Write bars or funding'
  throw usage(`--what cannot be "${text.slice(0, 20)}"`, fix)
}

export function intervalOf(text: string): CandleInterval {
  const names = keysOf(candleIntervals)
  const name = names.find((each) => each === text)
  if (name !== undefined) return name
  throw usage(`"${text.slice(0, 20)}" is not an interval of bars`, `Use one of ${names.join(', ')}`)
}

/** As a share of 1. Above nine tenths a bot could hardly work. */
export function faultsOf(text: string): number {
  const percent = /^\d{1,2}(?:\.\d)?%$/.test(text) ? Number(text.slice(0, -1)) : Infinity
  if (percent > 0 && percent <= 90) return percent / 100
  throw usage(
    `"${text.slice(0, 20)}" is not a share of calls`,
    'Write a percentage such as 5% or 30%, at most 90%',
  )
}

export function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Infinity
  if (port <= 65_535) return port
  throw usage(`"${text.slice(0, 20)}" is not a port`, 'Write a number from 0 to 65535')
}

/** The number of lines, in the notation of tail and journalctl. */
export function linesOf(text: string): number {
  if (text === 'all' || text === '+1') return Infinity
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw usage(`"${text.slice(0, 20)}" is not a number of lines`, 'Write a number such as -n 20, or -n all')
}

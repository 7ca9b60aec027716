// Formats numbers, times and ages. Decimal text is formatted without computing.

const gap = '\u202f'

/**
 * Groups digits by three.
 * @param {string | number | null | undefined} value
 */
export function plain(value) {
  if (value === null || value === undefined || value === '') return '–'
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(String(value)) ?? []
  if (whole === '') return String(value)
  return `${sign === '-' ? '−' : ''}${whole.replaceAll(/\B(?=(?:\d{3})+$)/g, gap)}${rest}`
}

/**
 * Money with two decimals; an amount below a cent is shown as not zero.
 * @param {string | null | undefined} value
 */
export function money(value) {
  if (value === null || value === undefined) return '–'
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  const rounded = number.toFixed(2)
  return plain(Number(rounded) === 0 ? '0.00' : rounded)
}

/**
 * Profit or loss with its sign, because the colour alone is not enough.
 * @param {string | null | undefined} value
 */
export function signed(value) {
  const text = money(value)
  return toneOf(value) === 'gain' ? `+${text}` : text
}

/** @param {string | null | undefined} value */
export function toneOf(value) {
  const rounded = Number(Number(value ?? 0).toFixed(2))
  return rounded > 0 ? 'gain' : rounded < 0 ? 'loss' : ''
}

/** @param {number | null | undefined} ms */
export function age(ms) {
  if (ms === null || ms === undefined) return 'never'
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 100) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** @param {number} at */
export function clock(at) {
  return new Date(at).toISOString().slice(11, 19)
}

/** @param {number} at */
export function day(at) {
  return new Date(at).toISOString().slice(0, 10)
}

/** @param {number} at */
export function dayAndClock(at) {
  return `${day(at)} ${clock(at)}`
}

/**
 * A percentage with its sign and two decimals.
 * @param {string | null} value
 */
export function percent(value) {
  return value === null ? '–' : `${signed(value)} %`
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function counted(count, one, many = `${one}s`) {
  return `${plain(count)} ${count === 1 ? one : many}`
}

/**
 * Shortens computed values.
 * @param {string} value
 */
export function rounded(value) {
  return (value.split('.')[1]?.length ?? 0) > 4
    ? Number(value)
        .toFixed(4)
        .replace(/\.?0+$/, '')
    : value
}

/** Position limits are amounts and order limits are counts, as in `rungs status`; all others are money. */
const isNoMoney = /^(?:account )?(?:max_position|max_open_orders|order_rate)\b/

/**
 * @param {string} limit
 * @param {string | null} value The used part or the limit; null if it is unknown.
 */
export function ofLimit(limit, value) {
  if (value === null) return 'unknown'
  return isNoMoney.test(limit) ? plain(value) : money(value)
}

/**
 * Whether a limit is a loss limit. Others may be full in normal operation.
 * @param {string} limit
 */
export function isOfLosses(limit) {
  return limit === 'daily_loss'
}

/** @type {Record<import('./tables.js').RowOf<'trades'>['kind'], string>} */
export const exitTexts = {
  mirror: 'mirror',
  take_profit: 'take profit',
  at: 'take profit',
  stop: 'stop loss',
  trail: 'trailing stop',
  max_age: 'maximum age',
  flatten: 'flatten',
  break_even: 'break-even stop',
  close: 'rule',
  entry: 'opposite entry',
  gone: 'not by the bot',
}

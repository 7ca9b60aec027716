import type { Misfit, Unread } from '#src/venues/whitebit/contract/codec/value-reader.ts'
import { isRecord } from '#src/core/objects/objects.ts'

export type { Unread }

/** For people, such as `open positions: the bot cannot read [0].amount: "1e-3"`. */
export function unreadText(what: string, { path, value }: Unread): string {
  const seen = JSON.stringify(fieldAt(value, path)) ?? 'nothing'
  return `${what}: the bot cannot read ${placeText(path)}: ${seen.slice(0, shownMax)}`
}

/** For an answer that cannot be read, such as `[0].amount is null`; it never quotes the answer. */
export function misfitText({ path, seen }: Misfit): string {
  const place = path.length === 0 ? 'it' : placeText(path)
  return seen === undefined ? `${place} is missing` : `${place} is ${kindOf(seen)}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return 'text'
  return typeof value === 'number' ? 'a number' : 'an object'
}

function placeText(path: Unread['path']): string {
  return path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${nameText(step)}`))
    .join('')
}

/** A name may be a text of the venue. */
function nameText(name: string): string {
  return /^[\w.-]{1,40}$/.test(name) ? name : '?'
}

const shownMax = 80

/** What the last step of the path names, or the whole element where that is the element itself. */
function fieldAt(element: unknown, path: Unread['path']): unknown {
  const name = path.at(-1)
  return isRecord(element) && typeof name === 'string' && Object.hasOwn(element, name)
    ? element[name]
    : element
}

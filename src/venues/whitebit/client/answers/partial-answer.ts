import type { Unread } from '#src/venues/whitebit/contract/codec/value-reader.ts'
import { isRecord } from '#src/core/objects/objects.ts'

export type { Unread }

/** For people, such as `open positions: the bot cannot read [0].amount: "1e-3"`. */
export function unreadText(what: string, { path, value }: Unread): string {
  const place = path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('')
  const seen = JSON.stringify(fieldAt(value, path)) ?? 'nothing'
  return `${what}: the bot cannot read ${place}: ${seen.slice(0, shownMax)}`
}

const shownMax = 80

/** What the last step of the path names, or the whole element where that is the element itself. */
function fieldAt(element: unknown, path: Unread['path']): unknown {
  const name = path.at(-1)
  return isRecord(element) && typeof name === 'string' && Object.hasOwn(element, name)
    ? element[name]
    : element
}

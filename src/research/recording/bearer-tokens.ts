import { jsonIn } from '#src/core/objects/json.ts'
import { bearerNames } from '#src/venues/whitebit/contract/wire/bearer-tokens.ts'

const bearer = '[bearer]'

/**
 * Replaces bearer tokens anywhere in a value; returns the value itself if it has none. All tokens become the same word, so
 * that a replayed request with a recorded token equals the recorded request.
 */
export function withoutBearers(value: unknown): unknown {
  if (typeof value === 'string') return withoutBearersInText(value)
  if (Array.isArray(value)) {
    const inner = value.map(withoutBearers)
    return inner.some((each, index) => each !== value[index]) ? inner : value
  }
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value)
  // The authorize request of a stream has the token by position.
  const authorizes = 'method' in value && value.method === 'authorize'
  const inner = pairs.map(([name, each]): [string, unknown] => {
    // An error code is a number and stays.
    if (bearerNames.has(name) && typeof each === 'string') return [name, bearer]
    if (authorizes && name === 'params') return [name, [bearer]]
    return [name, withoutBearers(each)]
  })
  return inner.some(([, each], index) => each !== pairs[index]?.[1]) ? Object.fromEntries(inner) : value
}

/** Text may contain JSON. Without tokens it stays unchanged. */
function withoutBearersInText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  const value = jsonIn(text)
  const hidden = withoutBearers(value)
  return hidden === value ? text : JSON.stringify(hidden)
}

import { bearerNames } from '#src/venues/whitebit/contract/wire/bearer-tokens.ts'

const bearer = '[bearer]'

/**
 * The same value with its bearers taken out, wherever they stand, and the value itself if it has none. All of them become
 * the same word, so that a request made with what an answer of a tape says is the request on the tape.
 */
export function withoutBearers(value: unknown): unknown {
  if (typeof value === 'string') return withoutBearersInText(value)
  if (Array.isArray(value)) {
    const inner = value.map(withoutBearers)
    return inner.some((each, index) => each !== value[index]) ? inner : value
  }
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value)
  // The first request of a private stream carries its token by position.
  const authorizes = 'method' in value && value.method === 'authorize'
  const inner = pairs.map(([name, each]): [string, unknown] => {
    // A code of an error is a number, and stays.
    if (bearerNames.has(name) && typeof each === 'string') return [name, bearer]
    if (authorizes && name === 'params') return [name, [bearer]]
    return [name, withoutBearers(each)]
  })
  return inner.some(([, each], index) => each !== pairs[index]?.[1]) ? Object.fromEntries(inner) : value
}

/** JSON may stand in a text of JSON. Where it holds none it stays as it is written. */
function withoutBearersInText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // No JSON: a text like any other.
    return text
  }
  const hidden = withoutBearers(value)
  return hidden === value ? text : JSON.stringify(hidden)
}

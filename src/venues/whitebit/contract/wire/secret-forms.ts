/** What is searched for, and what stands there instead: such that a line of JSON stays one. */
export type SecretForm = {
  /** A part of the pattern that no encoder changes. Where it is not, there is no need to look closer. */
  core: string
  pattern: RegExp | string
  mask: string
}

const mask = '[secret]'
/** What is shorter is a word like any other: to take it out would take the meaning out of whatever holds it. */
const lettersMin = 8
/** Node shows no more of a buffer. */
const bytesShown = 50

/** A secret as it may stand in a text, written by us or by somebody else. */
export function secretForms(secret: string): SecretForm[] {
  if (secret.length < lettersMin || /^\\+$/.test(secret)) return []
  // A body is JSON first, and base64 or something else after that.
  const inside = new Set([secret, inJson(secret), inJson(secret).replaceAll('/', '\\/')])
  return [escapable(secret), ...[...inside].flatMap((text) => encoded(Buffer.from(text)))]
}

function encoded(bytes: Buffer): SecretForm[] {
  const hex = bytes.toString('hex')
  const shown = spaced(bytes.subarray(0, bytesShown).toString('hex'))
  const percents = hex.replaceAll(/../g, '%$&')
  const inHex = [hex, shown, percents].flatMap((text) => [text, text.toUpperCase()])
  const lists = [',', ', '].map((comma) => [...bytes].join(comma))
  return [
    ...base64(bytes).map(escapable),
    ...inHex.map((text) => ({ core: text, pattern: text, mask })),
    // Numbers of a list: a word among them would be no JSON.
    ...lists.map((text) => ({ core: text, pattern: text, mask: '0' })),
  ]
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function spaced(hex: string): string {
  return hex.replaceAll(/..(?=.)/g, '$& ')
}

/**
 * Three bytes become four letters, so a secret inside a longer text is written in three ways. Letters at its ends that
 * hold bits of its neighbours are no part of it.
 */
function base64(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    return letters.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
}

/**
 * A text with each of its signs as it is, behind backslashes (JSON, however often inside JSON), or as the percent code
 * of an address; encoders do not agree on which signs need that.
 */
function escapable(text: string): SecretForm {
  let pattern = ''
  let backslashes = 0
  for (const sign of text) {
    if (sign === '\\') backslashes += 1
    else {
      const among = run(backslashes) + one(spellings(sign), percent(sign), unicode(sign))
      pattern += pattern === '' ? first(sign, backslashes) : among
      backslashes = 0
    }
  }
  // In pairs: an odd one escapes what stands behind the secret.
  if (backslashes > 0) pattern += String.raw`(?:\\\\|%5[cC])*`
  const words = text.split(/[^A-Za-z0-9]+/)
  const core = words.reduce((longest, word) => (word.length > longest.length ? word : longest))
  return { core, pattern: new RegExp(pattern, 'g'), mask }
}

/** So many backslashes or more, as one group: two next to each other would be tried in every division. */
function run(backslashes: number): string {
  return `(?:\\\\|%5[cC]){${backslashes},}`
}

/** A run is taken from its beginning or not at all: no backslash stays behind to escape our mask. */
const runBegins = String.raw`(?<!\\)`

function first(sign: string, backslashes: number): string {
  if (backslashes > 0)
    return runBegins + run(backslashes) + one(spellings(sign), percent(sign), unicode(sign))
  const others = [percent(sign), String.raw`${runBegins}\\+${unicode(sign)}`]
  if (sign === '"' || sign === '/') return one(String.raw`${runBegins}\\*${spellings(sign)}`, ...others)
  // After an odd number of backslashes these are half of an escape, such as the end of a line.
  if ('bfnrtu'.includes(sign)) return one(String.raw`${sign}(?<=${runBegins}(?:\\\\)*${sign})`, ...others)
  return one(spellings(sign), ...others)
}

function one(...alternatives: string[]): string {
  return `(?:${alternatives.join('|')})`
}

/** Of base64 there are two alphabets. */
function spellings(sign: string): string {
  if (sign === '+' || sign === '-') return '[+-]'
  return sign === '/' || sign === '_' ? '[/_]' : RegExp.escape(sign)
}

function percent(sign: string): string {
  return `%${hexOf(sign)}`
}

function unicode(sign: string): string {
  return `u00${hexOf(sign)}`
}

function hexOf(sign: string): string {
  const hex = sign.charCodeAt(0).toString(16).padStart(2, '0')
  return hex.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

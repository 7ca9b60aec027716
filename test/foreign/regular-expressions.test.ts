import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { regularExpressionChecker } from '#test/support/peers.ts'

/** Expressions that are not linear, each with the reason why no text from outside can be long enough to matter. */
const bounded: Readonly<Record<string, string>> = {
  [String.raw`/"(?:[^"\\]|\\.)*"/g`]: 'the text is valid JSON: each quote has its end',
  [String.raw`/\.?0+$/`]: 'a decimal text has at most 37 characters',
  [String.raw`/^(.).*@(.).*(.)$/`]: 'an address has at most 254 characters',
  [String.raw`/\B(?=(?:\d{3})+$)/g`]: 'a number of a report',
  [String.raw`/\d+$/`]: 'the name of a rung in a result of our own',
  [String.raw`/\.[a-z]*json[a-z]*$/i`]: 'a word of the operator on the command line',
  [String.raw`/\s*\(Did you mean (.+)\?\)$/`]: 'a message about a word of the operator on the command line',
  [String.raw`/^(?:command-)?(.*'([^']*)' is invalid)( for argument '\w+')?\. Allowed choices are (.+)\.$/`]:
    'a message about a word of the operator on the command line',
  [String.raw`/^(.*\[)\n((?: +["\w-].*\n)+) +(\],?)$/gm`]: 'the schema that the program prints',
  [String.raw`/"method":"(?:depth|bookTicker|lastprice|market|candles|trades)_update".*?"([A-Z0-9]+_[A-Z0-9]+)"/`]:
    'messages of the simulated exchange',
}

test('each regular expression takes linear time, or its texts are short', () => {
  const { checkSync } = regularExpressionChecker()
  const slow: string[] = []
  const known = literals()
  expect(known.size).toBeGreaterThan(150)
  for (const [literal, places] of known) {
    const end = literal.lastIndexOf('/')
    const { status, complexity } = checkSync(literal.slice(1, end), literal.slice(end + 1), { timeout: null })
    if (status !== 'safe' && !(literal in bounded))
      slow.push(`${literal} in ${places.join()}: ${status}, ${complexity?.summary}`)
    if (status === 'safe' && literal in bounded) slow.push(`${literal} is linear and needs no exception`)
  }
  expect(slow).toEqual([])
  expect(Object.keys(bounded).filter((literal) => !known.has(literal))).toEqual([])
})

/** All regular expressions of the program, with the files that have them. */
function literals(): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>()
  for (const file of globSync('src/**/*.{ts,mjs}')) {
    const text = readFileSync(file, 'utf8')
    visit(parseAst(text, { lang: file.endsWith('.ts') ? 'ts' : 'js' }), ({ start, end, regex }) => {
      if (regex === undefined) return
      const literal = text.slice(Number(start), Number(end))
      found.set(literal, [...(found.get(literal) ?? []), file])
    })
  }
  return found
}

function visit(node: object, see: (node: Readonly<Record<string, unknown>>) => void): void {
  see({ ...node })
  for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) visit(child, see)
}

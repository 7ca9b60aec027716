import type { ASTNode } from '@marcbachmann/cel-js'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { unknownName, type ExpressionFault } from './expression-faults.ts'
import { childrenOf } from './reads.ts'
import { canBeNamed, usage, type NameType } from './language.ts'
import { isSeriesFunction } from './series-functions.ts'

/**
 * A part of a file that functions read, and a call that does so. `example` is a name and a definition, of which a market is a
 * part.
 */
type Source = {
  what: string
  section: string
  read: (name: string) => string
  example?: readonly [name: string, (market: string) => string]
}

const sources: Readonly<Record<string, Source>> = {
  Candles: {
    what: 'a feed of candles',
    section: 'feeds',
    read: (name) => `last(${name})`,
    example: ['px', (market) => `{ source: candles, market: ${market}, interval: 1h }`],
  },
  Book: {
    what: 'a feed of a book',
    section: 'feeds',
    read: (name) => `mid(${name})`,
    example: ['book', (market) => `{ source: book, market: ${market} }`],
  },
  Signal: {
    what: 'a signal with a number',
    section: 'feeds',
    read: (name) => `signal_value(${name})`,
    example: ['score', () => '{ source: signal, stale_after: 4h }'],
  },
  States: {
    what: 'a signal with states',
    section: 'feeds',
    read: (name) => `signal_is(${name}, "long")`,
    example: ['trend', () => '{ source: signal, states: [long, flat], stale_after: 4h }'],
  },
  Futures: {
    what: 'a feed of futures',
    section: 'feeds',
    read: (name) => `mark(${name})`,
    example: ['fut', (market) => `{ source: futures, market: ${market} }`],
  },
  Depth: {
    what: 'a feed of depth',
    section: 'feeds',
    read: (name) => `micro_price(${name})`,
    example: ['deep', (market) => `{ source: depth, market: ${market}, within: 0.1% }`],
  },
  Trades: {
    what: 'a feed of trades',
    section: 'feeds',
    read: (name) => `buy_volume(${name}, "5m")`,
    example: ['flow', (market) => `{ source: trades, market: ${market} }`],
  },
  Holding: { what: 'a market', section: 'markets', read: (name) => `position(${name})` },
  Progress: { what: 'a ladder', section: 'ladder', read: (name) => `filled_levels(${name})` },
  Account: { what: 'the account', section: '', read: (name) => `equity(${name})` },
  Clock: { what: 'the clock', section: '', read: (name) => `time_between(${name}, "09:00", "17:00")` },
} satisfies Partial<Record<NameType, Source>>

type Names = ReadonlyMap<string, NameType>

/** The fault of a call whose first argument must be a feed, a market or another part of the file, and is not. */
export function sourceFault(
  start: number,
  called: string,
  given: ASTNode | undefined,
  names: Names,
): ExpressionFault | undefined {
  const [, type = ''] = /\((\w+)/.exec(usage.get(called) ?? '') ?? []
  const source = sources[type]
  if (!source) return undefined
  const own = [...names].filter(([, each]) => each === type).map(([name]) => name)
  const reads = `${called}() reads ${source.what}`
  const name = given?.op === 'id' ? given.args : undefined
  // The type checker reports a value of the wrong type.
  const isValue =
    given !== undefined && (name === undefined || ['double', 'bool'].includes(names.get(name) ?? ''))
  if (isSeriesFunction(called) && isValue) return undefined
  if (given === undefined || name === undefined) {
    const hint = sourceHint(source, own, names)
    return { start: given?.start ?? start, message: given ? `${reads}, not a value` : reads, hint }
  }
  const found = names.get(name)
  if (found === type || found === 'dyn') return undefined
  if (found === undefined) {
    const hint = hintOf(name, own) ?? `${reads}: ${sourceHint(source, own, names, name)}`
    return unknownName(given.start, name, hint)
  }
  const message = `${reads}, and "${name}" is ${sources[found]?.what ?? 'a value'}`
  return { start: given.start, message, hint: sourceHint(source, own, names) }
}

/** The fault of a feed, a market or another part of the file that stands where a value must. */
export function partFault(root: ASTNode, names: Names): ExpressionFault | undefined {
  if (root.op === 'call' || root.op === 'value') return undefined
  if (root.op !== 'id') return childrenOf(root).flatMap((node) => partFault(node, names) ?? [])[0]
  const source = sources[names.get(root.args) ?? '']
  if (!source) return undefined
  const message = `"${root.args}" is ${source.what}, not a value`
  return { start: root.start, message, hint: `read it with a function, such as ${source.read(root.args)}` }
}

/** A call that reads a price, if the file has a feed with one. */
export function priceIn(names: Names): string | undefined {
  const [name, type] = [...names].find(([, type]) => type === 'Candles' || type === 'Book') ?? []
  return type === undefined ? undefined : sources[type]?.read(String(name))
}

/** The names that fit, and a line that defines another one. */
function sourceHint({ section, example }: Source, own: readonly string[], names: Names, wanted = ''): string {
  const use = own.length === 1 ? `use ${own.join()}` : `use one of ${own.join(', ')}`
  if (!example) return own.length > 0 ? use : `describe it in ${section}`
  const [usual, define] = example
  const [market = 'btc'] = [...names].find(([, type]) => type === 'Holding') ?? []
  const isFree = canBeNamed(wanted) && wanted.length <= nameLettersMax
  const name = isFree ? wanted : names.has(usual) ? `${usual}2` : usual
  const add = `add to ${section}: ${name}: ${define(market)}`
  return own.length > 0 ? `${use}, or ${add}` : add
}

const nameLettersMax = 16

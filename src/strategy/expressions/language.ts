import { Environment } from '@marcbachmann/cel-js'
import { entriesAt, valueAt } from '#src/core/objects/objects.ts'
import { indicators } from '#src/market/indicators/indicator-table.ts'
import { functions } from './functions.ts'
import { seriesFunctions } from './series-functions.ts'
import {
  AccountObject,
  BookObject,
  CandlesObject,
  ClockObject,
  DepthObject,
  FuturesObject,
  HoldingObject,
  LadderProgress,
  NumberSignal,
  StateSignal,
  TradesObject,
} from './context-objects.ts'

type KnownType =
  | 'Candles'
  | 'Book'
  | 'Signal'
  | 'States'
  | 'Futures'
  | 'Depth'
  | 'Trades'
  | 'Holding'
  | 'Progress'
  | 'Account'
  | 'Clock'
/** The type of a name in a strategy; `dyn` is the language's word for any type. */
export type InputType = KnownType | 'dyn'
/** The type of a name in expressions: a part of the file, or a value of `let`. */
export type NameType = InputType | 'double' | 'bool'

/** Error messages about expressions contain these names. */
const inputTypes: Readonly<Record<KnownType, new (...args: never[]) => unknown>> = {
  Candles: CandlesObject,
  Book: BookObject,
  Signal: NumberSignal,
  States: StateSignal,
  Futures: FuturesObject,
  Depth: DepthObject,
  Trades: TradesObject,
  Holding: HoldingObject,
  Progress: LadderProgress,
  Account: AccountObject,
  Clock: ClockObject,
}

const signatures = [
  ...Object.keys(functions),
  ...Object.entries(indicators).map(([name, { parameters }]) => signatureOf(name, 'Candles', parameters)),
  ...Object.entries(seriesFunctions).map(([name, { of, parameters }]) => signatureOf(name, of, parameters)),
]

/** The correct calls of each function, for the message about a wrong call. */
export const usage: ReadonlyMap<string, string> = new Map(
  Map.groupBy(signatures, (signature) => signature.slice(0, signature.indexOf('(')))
    .entries()
    .map(([name, calls]) => [name, calls.join(' or ')]),
)

/** Words with a meaning in the language. */
export const reserved = (
  'as break const continue else false for function if import in let loop namespace null package return true var void ' +
  'while bool bytes cel double google int list map null_type optional string type uint'
).split(' ')

/** Whether a name of the file can be used in expressions. */
export function canBeNamed(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !reserved.includes(name)
}

/** Built once and cloned for each strategy, because building it is slow. */
let bare: Environment | undefined

/** The language of one strategy: its functions, and the types of its names. */
export function languageOf(names: ReadonlyMap<string, InputType>): Environment {
  bare ??= createBare()
  const environment = bare.clone()
  for (const [name, sight] of names) if (canBeNamed(name)) environment.registerVariable(name, sight)
  return environment
}

function createBare(): Environment {
  const environment = new Environment({ limits: { maxAstNodes: 300, maxDepth: 40 } })
  for (const [name, sight] of Object.entries(inputTypes)) environment.registerType(name, sight)
  for (const signature of signatures) environment.registerFunction(signature, neverRun)
  return environment
}

/** The library parses and types only; `compileExpression` evaluates. */
function neverRun(): never {
  throw new Error('expressions are not run by their language')
}

function signatureOf(name: string, of: string, parameters: readonly unknown[]): string {
  return `${name}(${of}${parameters.map(() => ', double').join('')}): double`
}

/** A feed with another source has a mistake: it can be of any type, so that its readers are not reported as well. */
const feedTypes = new Map<unknown, InputType>([
  ['book', 'Book'],
  ['candles', 'Candles'],
  ['futures', 'Futures'],
  ['depth', 'Depth'],
  ['trades', 'Trades'],
])

function feedType(feed: unknown): InputType {
  const source = valueAt(feed, ['source'])
  if (source === 'signal') return valueAt(feed, ['states']) === undefined ? 'Signal' : 'States'
  return feedTypes.get(source) ?? 'dyn'
}

/** The account and the time of day, available in every strategy. */
export const ownNames = { account: 'Account', clock: 'Clock' } as const

/** The names of a file that expressions can read, with their types. */
export function namesOf(file: unknown): Map<string, InputType> {
  return new Map<string, InputType>([
    ...Object.entries(ownNames),
    ...entriesAt(file, ['ladder']).map(([name]) => [name, 'Progress'] as const),
    ...entriesAt(file, ['markets']).map(([name]) => [name, 'Holding'] as const),
    ...entriesAt(file, ['feeds']).map(([name, feed]) => [name, feedType(feed)] as const),
  ])
}

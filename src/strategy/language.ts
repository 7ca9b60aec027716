import { Environment } from '@marcbachmann/cel-js'
import { indicators, isIndicator } from '#src/indicators/table.ts'
import { Account, Book, Candles, Clock, Holding, known, Progress, Unknown } from './sights.ts'

/** What a name of a strategy stands for. */
export type SightName = 'Candles' | 'Book' | 'Holding' | 'Progress' | 'Account' | 'Clock'

const sights = { Candles, Book, Holding, Progress, Account, Clock } as const

/** Every function that expressions may call, by its signature. Numbers are doubles, and there is no other kind. */
const functions = {
  'open(Candles): double': (feed: Candles) => feed.last('open'),
  'high(Candles): double': (feed: Candles) => feed.last('high'),
  'low(Candles): double': (feed: Candles) => feed.last('low'),
  'last(Candles): double': (feed: Candles) => feed.last('close'),
  'volume(Candles): double': (feed: Candles) => feed.last('volume'),
  'bid(Book): double': (book: Book) => known(book.bid, 'the best bid'),
  'ask(Book): double': (book: Book) => known(book.ask, 'the best ask'),
  'mid(Book): double': (book: Book) =>
    (known(book.bid, 'the best bid') + known(book.ask, 'the best ask')) / 2,
  'spread(Book): double': (book: Book) =>
    known(book.ask, 'the best ask') / known(book.bid, 'the best bid') - 1,
  'position(Holding): double': (holding: Holding) => known(holding.position, 'the position'),
  'avg_entry(Holding): double': (holding: Holding) =>
    known(holding.entry, 'the average entry, without a position,'),
  'net_fills(Holding): double': (holding: Holding) =>
    known(holding.netFills, 'what was filled in the last minute'),
  'filled_levels(Progress): double': (ladder: Progress) =>
    known(ladder.filledLevels, 'the number of filled levels'),
  'open_hours(Progress): double': (ladder: Progress) => known(ladder.openHours, 'the age of the episode'),
  'equity(Account): double': (account: Account) => known(account.equity, 'the equity'),
  'balance(Account, string): double': (account: Account, ticker: string) => account.balance(ticker),
  'main_balance(Account, string): double': (account: Account, ticker: string) => account.mainBalance(ticker),
  'time_between(Clock, string, string): bool': timeBetween,
  'between(double, double, double): bool': (value: number, low: number, high: number) =>
    value >= low && value <= high,
  'clamp(double, double, double): double': (value: number, low: number, high: number) =>
    Math.min(Math.max(value, low), high),
  'min(double, double): double': Math.min,
  'max(double, double): double': Math.max,
  'abs(double): double': Math.abs,
}

const signatures = [...Object.keys(functions), ...Object.keys(indicators).map(signatureOf)]

/** How a function is called, by its name: for whoever called it otherwise. */
export const usage: ReadonlyMap<string, string> = new Map(
  signatures.map((signature) => [signature.slice(0, signature.indexOf('(')), signature]),
)

/** Words that mean something in the language already. */
export const reserved = (
  'as break const continue else false for function if import in let loop namespace null package return true var void ' +
  'while bool bytes cel double google int list map null_type optional string type uint'
).split(' ')

/** Whether a name of the file can be a name in expressions; another one is no concern of theirs. */
export function canBeNamed(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name) && !reserved.includes(name)
}

/** Built once and cloned for each strategy: it is the expensive part. */
let bare: Environment | undefined

/** The language of one strategy: what it may call, and what its own names stand for. */
export function languageOf(names: ReadonlyMap<string, SightName>): Environment {
  bare ??= createBare()
  const environment = bare.clone()
  for (const [name, sight] of names) if (canBeNamed(name)) environment.registerVariable(name, sight)
  return environment
}

function createBare(): Environment {
  const environment = new Environment({ limits: { maxAstNodes: 300, maxDepth: 40 } })
  for (const [name, sight] of Object.entries(sights)) environment.registerType(name, sight)
  for (const [signature, run] of Object.entries(functions)) environment.registerFunction(signature, run)
  for (const name of Object.keys(indicators)) {
    if (!isIndicator(name)) continue
    environment.registerFunction(signatureOf(name), (feed: Candles, ...parameters: number[]) =>
      feed.read(name, parameters),
    )
  }
  return environment
}

function signatureOf(name: string): string {
  const parameters = isIndicator(name) ? indicators[name].parameters : []
  return `${name}(Candles${parameters.map(() => ', double').join('')}): double`
}

function timeBetween(clock: Clock, from: string, to: string): boolean {
  const [now, start, end] = [known(clock.minute, 'the time'), minuteOf(from), minuteOf(to)]
  return start <= end ? now >= start && now < end : now >= start || now < end
}

function minuteOf(text: string): number {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hour === undefined || minute === undefined)
    throw new Unknown(`"${text}" is no time such as 23:55, so it`)
  return Number(hour) * 60 + Number(minute)
}

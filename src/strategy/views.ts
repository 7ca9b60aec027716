import { beginReadings, type Readings } from '#src/indicators/readings.ts'
import type { Views } from './condition.ts'
import { answer, type Answer } from './expression.ts'
import type { Programs } from './programs.ts'
import type { Context } from './run.ts'
import type { Strategy } from './schema.ts'
import { Account, Book, Candles, Clock, Holding, Progress, Unknown } from './sights.ts'

/**
 * All that one strategy can look at, by the names of its file. Made once; whoever knows something writes it in, and
 * what nobody wrote is unknown.
 */
export type Sights = {
  account: Account
  clock: Clock
  candles: Record<string, Candles>
  books: Record<string, Book>
  holdings: Record<string, Holding>
  ladders: Record<string, Progress>
}

export function sightsOf({ feeds, markets, ladder }: Strategy): Sights {
  const sights: Sights = {
    account: new Account(),
    clock: new Clock(),
    candles: {},
    books: {},
    holdings: {},
    ladders: {},
  }
  for (const [name, { source }] of Object.entries(feeds)) {
    if (source === 'book') sights.books[name] = new Book()
    else sights.candles[name] = new Candles({ readings: null })
  }
  for (const name of Object.keys(markets)) sights.holdings[name] = new Holding()
  for (const name of Object.keys(ladder)) sights.ladders[name] = new Progress()
  return sights
}

/** For a feed of candles that begins: all that the expressions of the file will ask of it runs along. */
export function beginFeed({ wanted, depth }: Programs, name: string): Readings {
  return beginReadings(wanted.get(name) ?? [], depth)
}

export type LiveViews = Views & {
  /** Values of `let` are kept until then: to be called whenever something was written into the sights. */
  forget(): void
}

/** Made once for these sights. A `let` is computed when it is first asked for. */
export function viewsOf({ lets }: Programs, sights: Sights): LiveViews {
  const { account, clock, candles, books, holdings, ladders } = sights
  const sightsNow = { account, clock, ...candles, ...books, ...holdings, ...ladders }
  const now = { ...sightsNow }
  const forgetting = [addLets(now, lets)]
  const contexts: Context[] = [now]
  return {
    now,
    ago: (count) => (contexts[count] ??= ago(count)),
    forget() {
      for (const forget of forgetting) forget()
    },
  }

  function ago(count: number): Context {
    const past = Object.entries(candles).map(([name, { feed }]) => [name, new Candles(feed, count)])
    const context = { ...sightsNow, ...Object.fromEntries(past) }
    forgetting.push(addLets(context, lets))
    return context
  }
}

function addLets(context: Record<string, unknown>, lets: Programs['lets']): () => void {
  const answers: (Answer | undefined)[] = lets.map(() => undefined)
  for (const [index, { name, program }] of lets.entries()) {
    Object.defineProperty(context, name, {
      get() {
        const found = (answers[index] ??= answer(program, context))
        if ('unknown' in found) throw new Unknown(found.unknown)
        return found.value
      },
    })
  }
  return () => {
    answers.fill(undefined)
  }
}

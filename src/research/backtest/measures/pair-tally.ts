import { exitFormOf } from '#src/engine/exits/exit-forms.ts'
import { matchingOf, closedByOf } from '#src/engine/holdings/pair-matching.ts'
import { pairSumsOf, rungPairsOf, type RungPairs } from '#src/engine/holdings/pair-sums.ts'
import { dropOpen, matchFill, newPairs, type Pairs } from '#src/engine/holdings/pairs.ts'
import type { State } from '#src/engine/state/state.ts'
import type { Atoms } from '#src/core/money/atoms.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import type { Read } from '#src/strategy/file/read-strategy.ts'
import type { BacktestFill, BacktestPairs, BacktestRung } from '#src/research/backtest/result/result.ts'
import { RoundTrips } from './round-trips.ts'

type Book = { strategy: string; market: number; pairs: Pairs }

/** The matched pairs of the strategies, from the deals at the venue, by the rules of the engine. */
export class PairTally {
  readonly trips = new RoundTrips()
  readonly #strategies: ReadonlyMap<string, Read>
  readonly #state: () => Pick<State, 'strategies'>
  /** By strategy and market of its file, since long and short sides of a market are separate. */
  readonly #books = new Map<string, Book>()

  constructor(strategies: ReadonlyMap<string, Read>, state: () => Pick<State, 'strategies'>) {
    this.#strategies = strategies
    this.#state = state
  }

  /** `money`: what the fill costs. Orders that replace one another share a client order id: the venue's id is `order`. */
  filled(
    { market, order }: { market: number; order: number },
    { strategy, ladder, level, side, amount, fee }: BacktestFill,
    money: string,
  ): void {
    const file = this.#strategies.get(strategy)?.strategy.ladder[ladder]
    if (!file) return
    const own = this.#state().strategies[strategy]?.ladders[ladder]
    const about = { level, generation: order, role: exitFormOf(level) ? 'exit' : 'entry' } as const
    const { pairs } = this.#bookOf(strategy, file.market, market)
    const closedBy = closedByOf(file)
    const sign = side === 'sell' ? '-' : ''
    const matching = matchingOf(about, fee, own, closedBy)
    const fill = { ladder, amount: sign + amount, money: sign + money, ...matching }
    const ended = new Set<Pairs['closed'][string]>()
    matchFill(pairs, fill, (match) => match.ended && ended.add(match.ended))
    if (ended.size === 0) return
    this.trips.ended(ended, pairs, side, closedBy === 'exits' ? ladder : undefined)
  }

  /** The venue has liquidated this much of a position; positive for long. */
  dropped(strategy: string, market: number, amount: Atoms): void {
    for (const book of this.#books.values())
      if (book.strategy === strategy && book.market === market) dropOpen(book.pairs, amount)
  }

  /** By strategy, and in total, at the last prices, in 10^-9. */
  results(prices: ArrayLike<number>): {
    all: BacktestPairs
    strategies: ({ strategy: string } & BacktestPairs)[]
  } {
    const sumOf = (books: readonly Book[]) => ({
      ...pairSumsOf(books.map(({ pairs }) => pairs)),
      floating: books
        .flatMap((book) => [...rungsOf(book, prices).values()])
        .reduce((sum, { floating }) => sum.plus(floating ?? 0), new Decimal(0))
        .toFixed(),
    })
    const books = [...this.#books.values()]
    const strategies = [...this.#strategies.keys()].map((strategy) =>
      Object.assign({ strategy }, sumOf(books.filter((book) => book.strategy === strategy))),
    )
    return { all: sumOf(books), strategies }
  }

  /** The rows with the pairs of their rungs. */
  withPairs(rows: readonly BacktestRung[], prices: ArrayLike<number>): BacktestRung[] {
    const rungs = new Map<string, RungPairs>(
      [...this.#books.values()].flatMap((book) =>
        [...rungsOf(book, prices)].map(([key, rung]) => [`${book.strategy}.${key}`, rung] as const),
      ),
    )
    return rows.map((row) => {
      const { pairs = 0, profit = '0', open = '0', floating = '0' } = rungs.get(row.id) ?? {}
      return { ...row, pairs, gridProfit: profit, open, floating: floating ?? '0' }
    })
  }

  #bookOf(strategy: string, alias: string, market: number): Book {
    const key = `${strategy} ${alias}`
    let book = this.#books.get(key)
    if (!book) this.#books.set(key, (book = { strategy, market, pairs: newPairs() }))
    return book
  }
}

function rungsOf({ market, pairs }: Book, prices: ArrayLike<number>): Map<string, RungPairs> {
  return rungPairsOf(pairs, new Decimal(prices[market] ?? 0).times('1e-9'))
}

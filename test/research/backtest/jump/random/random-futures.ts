import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import type { Chance } from '#test/fuzz/chance.ts'
import type { PricedMarket } from './random-expression.ts'

type Funding = NonNullable<BacktestInput['funding']> extends ReadonlyMap<string, infer Rates> ? Rates : never

/** Feeds of futures, depth and trades by chance, expressions that read them, and when the rates of a file are known. */
export class RandomFutures {
  readonly #chance: Chance
  /** Whether there are files of all inputs. */
  readonly #hasFiles: boolean
  /** The markets with feeds, which have the name of their market and an `f`, a `d` or a `t`. */
  #markets: readonly PricedMarket[] = []

  constructor(chance: Chance, hasFiles: boolean) {
    this.#chance = chance
    this.#hasFiles = hasFiles
  }

  /** The markets, with the names of their feeds. */
  given(markets: readonly PricedMarket[]): PricedMarket[] {
    const listed = markets.map((market) =>
      market.symbol.endsWith('PERP')
        ? { ...market, futures: `${market.name}f`, ...(this.#hasFiles && { depth: `${market.name}d` }) }
        : market,
    )
    this.#markets = listed.filter(({ futures }) => futures !== undefined)
    return listed
  }

  feeds(): string[] {
    const { oneOf } = this.#chance
    return this.#markets.flatMap(({ name, futures }) => {
      const stale = oneOf(['', ', stale_after: 20s', ', stale_after: 2m'])
      const within = oneOf(['0.1%', '1%'])
      return [
        `  ${futures}: { source: futures, market: ${name}${stale} }`,
        `  ${name}d: { source: depth, market: ${name}, within: ${within}${stale} }`,
        `  ${name}t: { source: trades, market: ${name}${stale} }`,
      ]
    })
  }

  /** A comparison with what is listed in place of some others. */
  instead(other: () => string): string {
    const { oneOf, percent, below } = this.#chance
    if (this.#markets.length === 0 || percent(50)) return other()
    const { name, futures, candles, price } = oneOf(this.#markets)
    const [deep, flow] = [`${name}d`, `${name}t`]
    const [span, another] = [oneOf(['2s', '5s', '20s', '1m']), oneOf(['1s', '10s', '3m'])]
    const last = candles ? `last(${candles})` : String(price)
    const by = oneOf(['<', '<=', '>', '>='])
    const near = price * (1 + (below(9) - 4) / 1000)
    return oneOf([
      () => `funding(${futures}) ${by} ${oneOf([0, 0.002, -0.004])}`,
      () => `abs(funding(${futures})) * 100 ${by} 0.5`,
      () => `funding_hours(${futures}) ${by} ${oneOf([0, 0.001, 0.02, 65 / 3600])}`,
      () => `60 - funding_hours(${futures}) * 3600 ${by} ${below(60)}`,
      () => `funding_hours(${futures}) - open_hours(l0) ${by} 0.01`,
      () => `funding(${futures}) / funding_hours(${futures}) ${by} 0.05`,
      () => `mark(${futures}) ${by} ${near}`,
      () => `mark(${futures}) / ${candles ? `last(${candles})` : price} - 1 ${by} 0.0007`,
      () => `index(${futures}) - mark(${futures}) == 0`,
      () => `imbalance(${deep}) ${by} 0.2 || mark(${futures}) ${by} ${near}`,
      () => `!(bid_volume(${deep}) ${by} ask_volume(${deep})) && open_hours(l0) ${by} 0.01`,
      () => `micro_price(${deep}) ${by} ${near}`,
      () => `buy_volume(${flow}, "${span}") ${by} sell_volume(${flow}, "${span}")`,
      () => `buy_volume(${flow}, "${span}") ${by} sell_volume(${flow}, "${another}")`,
      () => `trade_count(${flow}, "${span}") ${by} ${below(20)}`,
      () => `!(trade_count(${flow}, "${another}") ${by} ${below(40)}) && open_hours(l0) ${by} 0.01`,
      () => `volume_between(${flow}, ${last} * 0.999, ${last}, "${span}") ${by} ${25 * below(6)}`,
      () => `volume_between(${flow}, ${near}, mark(${futures}), "${another}") ${by} ${25 * below(6)}`,
      () => `open_interest(${futures}) > 0 || funding_hours(${futures}) < 0.01`,
      ...(this.#hasFiles
        ? [
            () => `imbalance(${deep}) ${by} ${(below(9) - 4) / 10}`,
            () => `bid_volume(${deep}) ${by} ask_volume(${deep}) * 2`,
            () => `micro_price(${deep}) ${by} ${last}`,
            () => `micro_price(${deep}) ${by} mark(${futures})`,
            () => `!(imbalance(${deep}) ${by} 0) && open_hours(l0) ${by} 0.01`,
            () => `open_interest(${futures}) ${by} ${100 * below(10)}`,
            () => `index(${futures}) ${by} mark(${futures})`,
          ]
        : []),
    ])()
  }

  /** Rates that are known from the time of the payment before, from another time, or when they are paid. */
  known(funding: Funding, everyMs: number): Funding {
    const { oneOf } = this.#chance
    // Also between two polls of the list.
    const shift = oneOf([0, 3700, 7000])
    const rates = funding.rates.map(({ at: paid, rate }) => {
      const at = paid + shift
      const before = oneOf([null, 0, 17_000, 60_000, everyMs])
      return { at, rate, ...(before !== null && { calculatedAt: at - before }) }
    })
    return { ...funding, rates }
  }
}

import type { Chance } from '#test/fuzz/chance.ts'
import type { RandomSignals } from './random-signals.ts'
import type { RandomFutures } from './random-futures.ts'

export type PricedMarket = {
  symbol: string
  price: number
  digits: number
  name: string
  isShort: boolean
  candles: string | null
  book: string | null
  futures?: string
  depth?: string
}

/** What most comparisons read instead of something else. */
type Inputs = { signals?: RandomSignals | undefined; futures?: RandomFutures | undefined }

/** Expressions by chance, about the markets and the ladders of one strategy. */
export class RandomExpressions {
  readonly #chance: Chance
  readonly markets: readonly PricedMarket[]
  readonly ladders: string[] = []
  readonly #inputs: Inputs
  /** By market, values of `let` that are near its price. */
  readonly #lets = new Map<string, string[]>()

  constructor(chance: Chance, markets: readonly PricedMarket[], inputs: Inputs = {}) {
    this.#chance = chance
    this.#inputs = inputs
    this.markets = markets
  }

  let(index: number): string {
    const { oneOf, percent } = this.#chance
    const market = oneOf(this.markets)
    const name = `v${index}`
    const value = percent(70)
      ? this.scaled(this.price(market), 1)
      : `(${this.price(market)} + ${this.price(market)}) / 2`
    this.#lets.set(market.name, [...(this.#lets.get(market.name) ?? []), name])
    return `  ${name}: ${quoted(value)}`
  }

  /** A number near the price of the market. */
  price({ name, candles, book, futures, depth, price }: PricedMarket): string {
    const { oneOf, percent } = this.#chance
    const lets = this.#lets.get(name) ?? []
    if (lets.length > 0 && percent(40)) return oneOf(lets)
    const found = [
      ...(candles
        ? [
            ...Array<string>(5).fill(`last(${candles})`),
            `open(${candles})`,
            `high(${candles})`,
            `low(${candles})`,
            `sma(${candles}, 3)`,
            `ema(${candles}, 4)`,
            `highest(${candles}, 3)`,
            `vwap(${candles}, 3)`,
            `bb_lower(${candles}, 4, 2)`,
            `vwap_upper(${candles}, 4, 2)`,
            ...this.#earlier(candles),
          ]
        : []),
      ...(futures ? [`mark(${futures})`, `mark(${futures})`, `index(${futures})`] : []),
      ...(depth ? [`micro_price(${depth})`, `micro_price(${depth})`] : []),
      ...(book ? [`mid(${book})`, `mid(${book})`, `bid(${book})`, `ask(${book})`] : []),
    ]
    const value = found.length > 0 ? oneOf(found) : String(price)
    return this.#inputs.signals?.shifted(value) ?? value
  }

  /** Functions of earlier values. */
  #earlier(candles: string): string[] {
    const { oneOf } = this.#chance
    const value = oneOf([
      `last(${candles})`,
      `(high(${candles}) + low(${candles})) / 2`,
      `ema(${candles}, 4)`,
    ])
    return [
      `prev(${value}, 2)`,
      `sma(${value}, 3)`,
      `ema(${value}, 2)`,
      `highest(prev(${value}, 1), 3)`,
      `sum(${value}, 4) / 4`,
    ]
  }

  /** The same number, or nearly, written in another way. */
  scaled(text: string, size: number): string {
    const { below, oneOf } = this.#chance
    const by = 1 + (below(5) - 2) / 1000
    return oneOf([
      () => text,
      () => text,
      () => `${text} * ${by}`,
      () => `${by} * (${text})`,
      () => `${text} + ${size} * ${oneOf([0.5, 0.01])}`,
      () => `${text} / ${by}`,
      () => `-(-${text})`,
      () => `max(${text}, ${size / 100})`,
      () => `min(${text}, ${text} * ${by})`,
      () => `clamp(${text}, 0, ${size} * 1000000)`,
      () => `exp(ln(${text}))`,
      () => `pow(sqrt(${text}), 2)`,
      () => `round(${text} * 10) / 10`,
      () => `(${text} > ${size} ? ${text} : ${text} * ${by})`,
    ])()
  }

  /** This number, computed. */
  #constant(value: number): string {
    const { oneOf } = this.#chance
    return oneOf([
      () => String(value),
      () => String(value),
      () => `${value} + 0.01`,
      () => `${value} * 3 / 3`,
      () => `${Math.round(value * 3600)} / 3600`,
      () => `(${value} - 0.25) + 0.25`,
      () => `abs(${value} - 1) + 0`,
    ])()
  }

  amount(money: number): number {
    return money / (this.markets[0]?.price ?? 1)
  }

  #comparison(): string {
    const { below, oneOf } = this.#chance
    const market = oneOf(this.markets)
    const ladder = oneOf(this.ladders)
    const by = oneOf(['<', '<=', '>', '>='])
    const near = market.price * (1 + (below(9) - 4) / 1000)
    const price = () => this.price(market)
    return oneOf([
      () => `${this.scaled(price(), market.price)} ${by} ${this.scaled(String(near), market.price)}`,
      () => `${this.scaled(price(), market.price)} ${by} ${price()}`,
      () => `between(${price()}, ${near}, ${near * 1.004})`,
      () => `abs(${price()} - ${near}) ${by} ${market.price * 0.002}`,
      () => `${price()} == ${near}`,
      () => `${this.scaled(`open_hours(${ladder})`, 0.05)} ${by} ${this.#constant(0.01 + below(9) / 100)}`,
      () => `open_hours(${ladder}) * 60 ${by} ${this.#constant(1 + below(5))}`,
      () => `open_hours(${ladder}) * ${price()} ${by} ${near * 0.05}`,
      () => `open_hours(${ladder}) * open_hours(${ladder}) ${by} 0.003`,
      () => `open_hours(${ladder}) - filled_levels(${ladder}) * 0.02 ${by} ${this.#constant(0.02)}`,
      () => `filled_levels(${ladder}) ${by} ${below(4)}`,
      () => `position(${market.name}) ${by} ${this.amount(oneOf([0, 100, 400]))}`,
      () => `avg_entry(${market.name}) ${by} ${near}`,
      () => `avg_entry(${market.name}) ${by} ${price()}`,
      () => `net_fills(${market.name}) ${by} ${oneOf([-100, 0, 100])}`,
      () => `equity(account) ${by} ${oneOf([200, 1000, 10_000, 50_000])} - ${oneOf([0.02, 0.3, 3])}`,
      () => `equity(account) - position(${market.name}) * ${price()} ${by} ${oneOf([900, 9900])}`,
      () => `balance(account, "USDT") ${by} ${oneOf([500, 900])}`,
      () => `main_balance(account, "USDT") ${by} 99980`,
      () =>
        `time_between(clock, "${oneOf(['00:02', '10:03', '23:53'])}", "${oneOf(['00:05', '10:04', '00:00'])}")`,
      () => this.#counted(market, by),
      // As 10:03 and 23:53 UTC.
      () => 'time_between(clock, "05:03", "18:53", "America/New_York")',
      () => 'time_between(clock, "15:48", "15:50", "Asia/Kathmandu")',
      () => `on_days(clock, "Tue", "${oneOf(['Europe/London', 'America/New_York'])}")`,
      () => `on_days(clock, "${oneOf(['Mon', 'Tue', 'Mon,Wed', 'Sun,Tue,Thu'])}")`,
    ])()
  }

  /** A condition counted over the last candles. */
  #counted({ candles, price }: PricedMarket, by: string): string {
    const { below, oneOf } = this.#chance
    if (!candles) return `${below(3)} ${by} 1`
    const condition = oneOf([
      `last(${candles}) ${by} ${price}`,
      `last(${candles}) > prev(last(${candles}), 1)`,
      `last(${candles}) > sma(last(${candles}), 3) && open(${candles}) < ${price}`,
    ])
    const z = `(last(${candles}) - sma(last(${candles}), 5)) / stddev(last(${candles}), 5)`
    return oneOf([
      `count(${condition}, ${1 + below(4)}) ${by} ${below(4)}`,
      `since(${condition}, ${1 + below(5)}) ${by} ${below(4)}`,
      `${z} ${by} ${below(3) - 1}`,
      `rsi(last(${candles}), 3) ${by} ${below(100)}`,
      `${oneOf(['adx', 'stoch', 'plus_di', 'minus_di'])}(${candles}, 3) ${by} ${below(100)}`,
    ])
  }

  #expression(depth = 2): string {
    const { percent, oneOf } = this.#chance
    if (depth === 0 || percent(55)) {
      const comparison = () => this.#comparison()
      const { signals, futures } = this.#inputs
      const listed = () => futures?.instead(comparison) ?? comparison()
      return signals?.instead(listed) ?? listed()
    }
    if (percent(15)) return `!(${this.#expression(depth - 1)})`
    const [one, other] = [this.#expression(depth - 1), this.#expression(depth - 1)]
    if (percent(15)) return `(${this.#comparison()} ? ${one} : ${other})`
    return `(${one}) ${oneOf(['&&', '||'])} (${other})`
  }

  condition(depth = 1): string {
    const { percent, oneOf } = this.#chance
    if (depth === 0 || percent(65)) return quoted(this.#expression())
    const market = oneOf(this.markets)
    if (market.candles && percent(40)) {
      const { candles } = market
      return oneOf([
        `{ crosses_above: ['last(${candles})', 'sma(${candles}, 3)'] }`,
        `{ crosses_below: ['last(${candles})', '${market.price}'] }`,
        `{ rises: 'last(${candles})' }`,
        `{ falls: { of: 'ema(${candles}, 3)', candles: 2 } }`,
      ])
    }
    const [one, other] = [this.condition(depth - 1), this.condition(depth - 1)]
    return oneOf([`{ all: [${one}, ${other}] }`, `{ any: [${one}, ${other}] }`, `{ not: ${one} }`])
  }
}

export function quoted(text: string): string {
  return `'${text}'`
}

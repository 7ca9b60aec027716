import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import { readStrategyText } from '#src/strategy/file/read-strategy.ts'
import { chanceOf, type Chance } from '#test/fuzz/chance.ts'
import { symbols } from './random-markets.ts'
import { RandomFutures } from './random-futures.ts'
import { randomExit } from './random-exit.ts'
import { randomSize, RandomSizes } from './random-sizes.ts'
import { randomLimits, randomSubmit } from './random-limits.ts'
import { RandomShares } from './random-shares.ts'
import { randomRebase } from './random-rebase.ts'
import { amendedQuotes } from './random-amends.ts'
import { restingStops } from './random-stops.ts'
import { RandomSignals } from './random-signals.ts'
import { quoted, RandomExpressions, type PricedMarket } from './random-expression.ts'
import {
  gapped,
  madeBars,
  madeRates,
  madeTrades,
  monday,
} from '#test/research/backtest/market/generated-market.ts'
import { madeBooks, madeListing } from '#test/research/backtest/market/generated-books.ts'

const minuteMs = 60_000
/** Candles that have closed before it begins, and minutes that it trades. */
const minutesBefore = 26
const minutesTraded = 5
const paidEveryMs = 130_000
const shares = ['5%', '40%', '40%, how: post', '40%, daily_loss: 0.5']
const closings = ['slippage: 0.1%', 'slippage: 3%', 'how: post', 'how: post, post_for: 9s']
const schedules = ['daily 00:03', 'daily 00:01,00:07,12:00', 'Mon 10:04', 'Tue 00:00', 'daily 23:55']

/** What a strategy has beside prices: each by a chance of its own, so that a seed gives the same rest. */
export type RandomParts = {
  signals?: boolean
  futures?: boolean
  /** Files of order books and of listed futures: only together with `futures`. */
  files?: boolean
  shares?: boolean
  stops?: boolean
  sizes?: boolean
  amends?: boolean
}

/** A strategy by chance that its file allows, in markets by chance; most of its rules read `signals` or `futures`. */
export function randomInput(seed: number, parts: RandomParts = {}): BacktestInput {
  for (let attempt = 0; attempt < 50; attempt++) {
    const number = seed * 64 + attempt
    const writing = new Writing(number, parts)
    const file = writing.file()
    const text = parts.stops ? restingStops(file) : parts.amends ? amendedQuotes(file) : file
    if (!Array.isArray(readStrategyText(text))) return writing.inputOf(text)
  }
  throw new RangeError(`seed ${seed} gives no strategy`)
}

class Writing {
  readonly #chance: Chance
  readonly #says: RandomExpressions
  readonly #withoutMirror: string[] = []
  readonly #signals: RandomSignals | undefined
  readonly #futures: RandomFutures | undefined
  readonly #files: boolean
  readonly #number: number
  readonly #shares: RandomShares | undefined
  readonly #sizes: RandomSizes | undefined
  #hasUnit = false

  constructor(number: number, parts: RandomParts) {
    const chance = chanceOf(number)
    const signals = parts.signals ? new RandomSignals(chanceOf(number)) : undefined
    const futures = parts.futures ? new RandomFutures(chanceOf(number), parts.files === true) : undefined
    this.#sizes = parts.sizes ? new RandomSizes(chanceOf(number)) : undefined
    this.#chance = chance
    this.#signals = signals
    this.#futures = futures
    this.#files = parts.files === true
    this.#number = number
    this.#shares = parts.shares ? new RandomShares(chanceOf(number)) : undefined
    const count = chance.percent(30) ? 2 : 1
    const first = chance.below(symbols.length)
    const markets = Array.from({ length: count }, (_, index) => {
      const symbol = symbols[(first + index * 2) % symbols.length]!
      const hasBook = chance.percent(25)
      return {
        ...symbol,
        name: `m${index}`,
        isShort: symbol.symbol.endsWith('PERP') && chance.percent(12),
        candles: hasBook && chance.percent(50) ? null : `p${index}`,
        book: hasBook ? `b${index}` : null,
      }
    })
    const inputs = { signals, futures }
    this.#says = new RandomExpressions(chance, futures?.given(markets) ?? markets, inputs)
  }

  file(): string {
    const { below, oneOf } = this.#chance
    const lets = Array.from({ length: below(4) }, (_, index) => this.#says.let(index))
    const count = 1 + below(2)
    for (let index = 0; index < count; index++) this.#says.ladders.push(`l${index}`)
    const ladders = this.#says.ladders.map((name) => this.#ladder(name, oneOf(this.#says.markets)))
    const rules = this.#rules()
    const needs = ['bulk', 'history', 'balance', 'cancel', 'flex', 'position_side_short']
    if (this.#futures) needs.push('market_data')
    return [
      'version: 1\nname: rnd',
      `needs: [${needs.join(', ')}]`,
      'markets:',
      ...this.#says.markets.map(
        ({ name, symbol, isShort }) =>
          `  ${name}: { symbol: ${symbol}${isShort ? ', positionSide: short' : ''} }`,
      ),
      'feeds:',
      ...this.#says.markets.flatMap((market) => this.#feeds(market)),
      ...(this.#signals?.feeds() ?? []),
      ...(this.#futures?.feeds() ?? []),
      ...(lets.length > 0 ? ['let:', ...lets] : []),
      'ladder:',
      ...ladders,
      'rules:',
      ...rules.map((rule, index) => `  - { id: r${index}, ${rule} }`),
      'risk:',
      ...randomLimits(this.#chance, this.#says, this.#shares),
      'submit:',
      ...randomSubmit(this.#chance),
      '',
    ].join('\n')
  }

  inputOf(text: string): BacktestInput {
    const { below, oneOf, percent } = this.#chance
    const from = monday + oneOf([0, 10 * 60, 23 * 60 + 50]) * minuteMs
    const everyMs = oneOf([0, 0, 700, 1300, 2900])
    const hasGaps = percent(20)
    const whole = this.#says.markets.map(({ symbol, price, digits }) => {
      const walk = {
        seed: below(1_000_000),
        minutes: minutesBefore + minutesTraded,
        price,
        digits,
        pace: oneOf([0.0008, 0.002, 0.004]),
        from: from - minutesBefore * minuteMs,
        amount: oneOf([25, 25, 0.01]),
      }
      const market = everyMs === 0 ? madeBars(walk) : madeTrades(walk, everyMs)
      return [symbol, hasGaps ? gapped(market, { everyMs: 5 * minuteMs, ms: 100_000 }) : market] as const
    })
    const perpetuals = whole.flatMap(([symbol]) => (symbol.endsWith('PERP') ? [symbol] : []))
    const made = madeRates(below(1000), from, from + minutesTraded * minuteMs, paidEveryMs)
    const rates = this.#futures?.known(made, paidEveryMs) ?? made
    const to = from + minutesTraded * minuteMs
    const signals = this.#signals?.rows(from, to)
    const recorded = this.#says.markets.map(
      ({ symbol, price }, index) => [symbol, { seed: this.#number * 2 + index, price, from, to }] as const,
    )
    return {
      strategies: [{ path: 'random.yaml', text }],
      ...(signals && { signals }),
      ...(this.#files && {
        depth: new Map(recorded.map(([symbol, about]) => [symbol, madeBooks(about)])),
        futures: new Map(
          recorded.flatMap(([symbol, about]) =>
            symbol.endsWith('PERP') ? [[symbol, madeListing(about)]] : [],
          ),
        ),
      }),
      markets: new Map(whole),
      from,
      latencyMs: oneOf([0, 50, 50, 400, 1500]),
      fill: oneOf(['through', 'touch', 'queue'] as const),
      seed: 'a',
      balance: oneOf(['300', '1000', '10000', '10000', '50000']),
      ...((percent(30) || this.#futures) && {
        funding: new Map(perpetuals.map((symbol) => [symbol, rates])),
      }),
    }
  }

  #feeds({ name, candles, book }: PricedMarket): string[] {
    const { oneOf, percent } = this.#chance
    const stale = percent(40) ? `, stale_after: ${oneOf(['65s', '90s', '3m'])}` : ''
    const interval = oneOf(['1m', '1m', '1m', '3m', '5m'])
    return [
      ...(candles
        ? [
            `  ${candles}: { source: candles, market: ${name}, interval: ${interval}${interval === '1m' ? stale : ''} }`,
          ]
        : []),
      ...(book
        ? [`  ${book}: { source: book, market: ${name}${percent(30) ? ', stale_after: 3s' : ''} }`]
        : []),
    ]
  }

  #ladder(name: string, market: PricedMarket): string {
    const { below, oneOf, percent } = this.#chance
    const { price } = market
    const taken = oneOf(['', ' at episode_start', ' at episode_start', ' at rule_start'])
    const anchor = percent(40)
      ? String(price)
      : `${this.#says.scaled(this.#says.price(market), price)}${taken}`
    const levels = 2 + below(5)
    const hasMirror = percent(25)
    if (!hasMirror) this.#withoutMirror.push(name)
    const side = market.isShort
      ? 'sell'
      : hasMirror
        ? oneOf(['buy', 'both', 'sell'])
        : oneOf(['buy', 'buy', 'sell'])
    const spacing = this.#spacing(levels, market)
    const exits = randomExit(this.#chance, this.#says, {
      hasMirror: hasMirror,
      hasUnit: this.#hasUnit,
      market: market,
    })
    // The seeds of regressions have neither signals nor futures.
    const hasLives = this.#signals !== undefined || this.#futures !== undefined
    const rebased = randomRebase(this.#chance, { anchor, levels, hasLives })
    const usual = randomSize(this.#chance, this.#says, { name, market, levels })
    const risky = side === 'both' ? undefined : this.#shares?.risk(exits)
    const given = { side, rebase: rebased, size: risky?.size ?? usual.size, exit: risky?.exit ?? exits }
    const { size, rebase, exit } = this.#sizes?.changed(given, market, this.#says.markets) ?? given
    const { shape } = usual
    const resting = oneOf([
      '',
      '',
      ', resting: { max: 2 }',
      ', resting: { within: 0.3% }',
      ', resting: { max: 3, within: 0.5% }',
    ])
    return (
      `  ${name}: { market: ${market.name}, side: ${side}, anchor: ${quoted(anchor)}` +
      `${rebase ? `, rebase: ${rebase}` : ''}, levels: ${levels}, spacing: ${spacing}, size: { ${size}${shape} }` +
      `${resting}${exit}, below_min: ${oneOf(['drop', 'merge'])}` +
      (percent(15) ? `, min_edge: ${oneOf(['0.5', '2'])} x fee` : '') +
      `${percent(25) ? ', flags: { postOnly: true }' : ''} }`
    )
  }

  #spacing(levels: number, { price, candles }: PricedMarket): string {
    const { below, oneOf } = this.#chance
    const [first, step] = [oneOf(['0%', '0.02%', '0.05%', '0.1%', '0.3%']), oneOf(['0.03%', '0.1%', '0.2%'])]
    const kind = below(6)
    this.#hasUnit = kind === 4 || kind === 5
    if (kind === 0) return `{ kind: arithmetic, first: ${first}, step: ${step} }`
    if (kind === 1) return `{ kind: range, from: ${price * 0.996}, to: ${price * 1.004} }`
    if (kind === 2) {
      const at = Array.from({ length: levels }, (_, index) => `${(0.02 + index * 0.07).toFixed(2)}%`)
      return `{ kind: offsets, at: [${at.join(', ')}] }`
    }
    if (!this.#hasUnit) return `{ kind: geometric, first: ${first}, step: ${step}, grow: 1.2 }`
    const unit = oneOf([String(price * 0.001), candles ? `atr(${candles}, 3)` : `${price} * 0.001`])
    return `{ kind: volatility, unit: "${unit}", first: ${oneOf(['0.3', '1'])}, step: ${oneOf(['0.4', '1'])} }`
  }

  #rules(): string[] {
    const { below, oneOf, percent } = this.#chance
    const begin = this.#says.ladders.map((ladder) =>
      percent(75)
        ? `when: 'position(m0) > -1e9', do: [ensure: ${ladder}]`
        : `when: ${this.#says.condition()}${this.#waits()}, do: [ensure: ${ladder}]`,
    )
    const others = Array.from({ length: 1 + below(4) }, () => {
      const ladder = oneOf(this.#says.ladders)
      const invested = oneOf(['30', 'main_balance(account, "USDT") * 0.0001', 'filled_levels(l0) * 10'])
      const act = oneOf([
        `ensure: ${ladder}`,
        `ensure: ${ladder}`,
        `retire: ${ladder}`,
        `retire: ${ladder}`,
        `freeze: ${ladder}`,
        `close: ${ladder}`,
        this.#withoutMirror.length > 0 && percent(80)
          ? `close: { of: ${oneOf(this.#withoutMirror)}, share: ${oneOf(shares)} }`
          : 'alert: a reason',
        `close: { of: ${oneOf(this.#says.markets).name}, ${oneOf(closings)} }`,
        'alert: a reason',
        'alert: a reason',
        'pause_entries: a reason',
        oneOf(['halt: a reason', 'alert: a reason']),
        `flex_invest: { ticker: USDT, amount: '${invested}' }`,
      ])
      if (percent(12)) {
        const when = percent(60) ? `, when: ${this.#says.condition()}` : ''
        return `schedule: ${oneOf(schedules)} UTC${when}, do: [${act}]`
      }
      return `when: ${this.#says.condition()}${this.#waits()}, do: [${act}]`
    })
    return percent(50) ? [...begin, ...others] : [...others, ...begin]
  }

  #waits(): string {
    const { oneOf, percent } = this.#chance
    const least = percent(30) ? `, for: ${oneOf(['7s', '20s', '61s', '2m', '1500ms'])}` : ''
    const cooldown = percent(30) ? `, cooldown: ${oneOf(['5s', '40s', '2m', '2500ms'])}` : ''
    return `${least}${cooldown}${percent(12) ? `, once: ${oneOf(['episode', 'ever'])}` : ''}`
  }
}

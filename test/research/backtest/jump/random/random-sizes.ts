import type { Chance } from '#test/fuzz/chance.ts'
import type { PricedMarket, RandomExpressions } from './random-expression.ts'

/** The size of a ladder by chance, and the shape of its capital. */
export function randomSize(
  { oneOf }: Chance,
  says: RandomExpressions,
  { name, market, levels }: { name: string; market: PricedMarket; levels: number },
): { size: string; shape: string } {
  const { price } = market
  const money = oneOf([100, 300, 900])
  const shape = oneOf([
    '',
    ', shape: fibonacci',
    ', shape: { geometric: 1.4 }',
    ', shape: { linear: [1, 2] }',
  ])
  const factor = oneOf([
    'equity(account) / 1000',
    `open_hours(${name}) * 10 + 1`,
    `${says.price(market)} / ${price}`,
  ])
  const size = oneOf([
    `total: ${money} quote`,
    `total: ${money} quote`,
    `first: ${money / levels} quote`,
    `total: ${Number((money / price).toFixed(5))} base`,
    `total: ${oneOf([2, 30])}% equity`,
    `total: ${money} quote, scale_by: "clamp(${factor}, 0.5, 2)"`,
  ])
  return { size, shape }
}

type Parts = { side: string; size: string; rebase: string; exit: string }

/** Sizes by expressions, ladders that follow fills, and mirrors that keep coins, by chance, in place of those of a ladder. */
export class RandomSizes {
  readonly #chance: Chance

  constructor(chance: Chance) {
    this.#chance = chance
  }

  changed(
    { side, size, rebase, exit }: Parts,
    market: PricedMarket,
    markets: readonly PricedMarket[],
  ): Parts {
    const { oneOf, percent } = this.#chance
    const isFixed = rebase === ''
    const hasMirror = exit.includes('mirror')
    const computed = percent(75) ? this.#size(market, markets) : size
    const isUpdated = hasMirror && percent(60) && !/^(?:total|first): [\d.]+ \w+$/.test(computed)
    const follows = oneOf([
      'on_fill',
      'on_fill',
      ...(isFixed ? [] : ['{ on_fill: true, drift: 0.05%, min_gap: 3s }']),
      ...(isFixed ? [] : ['{ on_fill: true, drift: 0.1%, min_gap: 20s, hysteresis: 0.03% }']),
    ])
    const isKept = side === 'buy' && hasMirror && rebase !== 'on_flat' && percent(60)
    return {
      side,
      size: `${computed}${isUpdated ? ', update: rung' : ''}`,
      rebase: percent(60) ? follows : rebase,
      exit: isKept ? exit.replace('mirror: 1', 'mirror: 1, earn: base') : exit,
    }
  }

  #size({ name, price }: PricedMarket, markets: readonly PricedMarket[]): string {
    const { oneOf, percent } = this.#chance
    const amount = Number((oneOf([100, 300]) / price).toFixed(5))
    const other = oneOf(markets)
    const rate = Number((other.price / price).toFixed(6))
    const given = oneOf([
      `total: "(${amount} + 0.5 * abs(position(${name}))) base"`,
      `total: "(${amount} - abs(position(${name}))) base"`,
      `total: "(${rate} * position(${other.name}) + position(${name})) base"`,
      `total: "(${rate} * abs(position(${other.name})) - abs(position(${name}))) base"`,
      `first: "max(${amount}, 0.45 * abs(position(${name}))) base"`,
      `total: "(0.45 * abs(position(${name})) * avg_entry(${name}) + 50) quote"`,
      `total: "(equity(account) * 0.05) quote"`,
      `total: "(filled_levels(l0) * 50 + 100) quote"`,
      `first: "(open_hours(l0) * 100 + 60) quote"`,
    ])
    return `${given}${percent(20) ? ', scale_by: "clamp(equity(account) / 1000, 0.5, 2)"' : ''}`
  }
}

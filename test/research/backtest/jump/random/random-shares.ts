import type { Chance } from '#test/fuzz/chance.ts'

/** Limits and sizes as shares of the equity, by chance. Equities of backtests are 300 to 50,000. */
export class RandomShares {
  readonly #chance: Chance

  constructor(chance: Chance) {
    this.#chance = chance
  }

  /** The limits of `risk` of a strategy, with some of its limits in money as shares. */
  limits(lines: readonly string[]): string[] {
    const { oneOf, percent } = this.#chance
    const shares: readonly (readonly [RegExp, readonly string[]])[] = [
      [/(?<=max_notional: \{ total: )\d+/, ['4% equity', '15% equity', '60% equity', '300% equity']],
      [/(?<=max_loss: )\d+/, ['0.2% equity', '2% equity', '200% equity']],
      [/(?<=daily_loss: )\d+/, ['0.01% equity', '0.1% equity', '3% equity']],
      [/(?<=per_week: )\d+/, ['3% equity', '30% equity']],
      [/(?<=max_flex_per_day: )\d+/, ['0.4% equity']],
    ]
    return lines.map((line) => {
      const [pattern, values] = shares.find(([pattern]) => pattern.test(line)) ?? []
      return pattern && values && percent(70) ? line.replace(pattern, oneOf(values)) : line
    })
  }

  /** The size of a ladder by its risk, and the exits with a stop that it needs. */
  risk(exit: string): { size: string; exit: string } | undefined {
    const { oneOf, percent } = this.#chance
    if (!percent(50)) return undefined
    const stop = `stop: { pct: ${oneOf(['0.2%', '1%'])} }`
    const size = oneOf([
      'risk: 0.01% equity',
      'risk: 0.2% equity',
      'risk: 2 quote',
      'risk: 0.3% equity, cap: 900 quote',
      'risk: 5 quote, cap: 10% equity',
    ])
    if (exit.includes('stop: {')) return { size, exit }
    return { size, exit: exit === '' ? `, exit: { ${stop} }` : exit.replace('exit: { ', `exit: { ${stop}, `) }
  }
}

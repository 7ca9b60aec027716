import type { BacktestInput } from '#src/research/backtest/result/result.ts'
import type { Chance } from '#test/fuzz/chance.ts'

/** Each becomes stale within the minutes of a backtest. */
const feeds = {
  g0: { line: 'states: [up, down, off], stale_after: 40s', values: ['up', 'down', 'off'] },
  g1: { line: 'stale_after: 95s', values: ['-1.5', '0', '0.75', '2'] },
}

/** Signals by chance: their feeds, expressions that read them, and what comes. */
export class RandomSignals {
  readonly #chance: Chance

  constructor(chance: Chance) {
    this.#chance = chance
  }

  feeds(): string[] {
    return Object.entries(feeds).map(([name, { line }]) => `  ${name}: { source: signal, ${line} }`)
  }

  /** A comparison with a signal in place of some others. */
  instead(other: () => string): string {
    const { oneOf, percent } = this.#chance
    if (percent(55)) return other()
    return oneOf([
      () => `signal_is(g0, "${oneOf(feeds.g0.values)}")`,
      () => `!signal_is(g0, "${oneOf(feeds.g0.values)}")`,
      () => `signal_value(g1) ${oneOf(['<', '<=', '>', '>='])} ${oneOf([0, 0.75])}`,
      () => `signal_value(g1) * filled_levels(l0) > 1`,
      () => `signal_is(g0, "up") || signal_value(g1) > 1`,
    ])()
  }

  /** Sometimes the number moves with a signal, so that a ladder or an exit depends on it. */
  shifted(number: string): string {
    return this.#chance.percent(15) ? `(${number} * (1 + signal_value(g1) / 4000))` : number
  }

  /** Also before the start, several at once, and the same value again. */
  rows(from: number, to: number): NonNullable<BacktestInput['signals']> {
    const { below, oneOf, percent } = this.#chance
    const rows = []
    for (let at = from - below(90_000), line = 2; at < to; line += 1) {
      const name = oneOf(['g0', 'g1'] as const)
      rows.push({ at, name, value: oneOf(feeds[name].values), line })
      if (!percent(15)) at += oneOf([1, 999, 1000, 7300, 20_000, 61_000, 100_000])
    }
    return { file: 'signals.csv', rows }
  }
}

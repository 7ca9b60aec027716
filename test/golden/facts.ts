import type { State } from '#src/engine/state/state.ts'

/** What a start must know again of its last run: each order, each position, what it made, and what stops it. */
export type GoldenFacts = {
  /** By id. */
  orders: Record<string, string>
  /** By strategy. */
  strategies: Record<string, StrategyFacts>
}

type StrategyFacts = {
  result: string
  halted: string | null
  pauses: Record<string, string>
  holdings: Record<string, string>
  /** What each ladder holds, and the orders of it that may be alive. */
  ladders: Record<
    string,
    { held: string; open: Record<string, string>; episode: number; anchor: string | null }
  >
  /** When each rule fired last. */
  rules: Record<string, number | null>
}

export function factsOf({ orders, strategies }: State): GoldenFacts {
  return {
    orders: mapped(orders, (order) =>
      [
        order.status,
        order.side,
        order.amount,
        'at',
        order.price,
        'filled',
        order.filled,
        'for',
        order.money,
      ].join(' '),
    ),
    strategies: mapped(strategies, (own) => ({
      result: own.worth.result,
      halted: own.halted,
      pauses: own.pauses,
      holdings: mapped(own.holdings, ({ position, cost, realized, fees }) =>
        [position, 'cost', cost, 'realized', realized, 'fees', fees].join(' '),
      ),
      ladders: mapped(own.ladders, ({ held, open, episode, anchor }) => ({
        held: `${held.position} cost ${held.cost}`,
        open,
        episode,
        anchor,
      })),
      rules: mapped(own.rules, ({ firedAt }) => firedAt),
    })),
  }
}

function mapped<From, To>(from: Record<string, From>, of: (each: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, each]) => [name, of(each)]))
}

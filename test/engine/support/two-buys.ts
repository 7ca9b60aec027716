import { gridWith } from '#test/strategy/strategy-files.ts'

/** Two buys 1 % and 2 % below the anchor, which is the price when the episode starts, with these exits. */
export const twoBuys = (exit: string, ...changes: (readonly [string, string])[]): string =>
  gridWith(
    ['side: both', 'side: buy'],
    ['balance]', 'balance, cancel]'],
    ['anchor: 60000', 'anchor: price at episode_start'],
    ['levels: 21', 'levels: 2'],
    ['{ kind: range, from: 55000, to: 65000 }', '{ kind: arithmetic, first: 1%, step: 1% }'],
    ['exit: { mirror: 1 }', `exit: { ${exit} }`],
    ['between(price, 55000, 65000)', 'price > 0'],
    ['min_edge: 2.2 x fee', 'below_min: drop'],
    ...changes,
  )

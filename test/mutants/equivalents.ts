/** A mutation after which the program does the same as before, so that no test can notice it. */
type Equivalent = { path: string; before: string; after: string; why: string }

export const equivalents: readonly Equivalent[] = [
  {
    path: 'src/core/money/atoms.ts',
    before: "if (value === 0n) return '0'",
    after: "if (false) return '0'",
    why: 'a shortcut: the lines below write 0 in the same way',
  },
  {
    path: 'src/core/money/atoms.ts',
    before: 'const negative = value < 0n',
    after: 'const negative = value <= 0n',
    why: 'zero has returned before',
  },
  {
    path: 'src/core/money/decimal.ts',
    before: 'if (double === undefined) doubles.set(value, (double = value.toNumber()))',
    after: 'if (true) doubles.set(value, (double = value.toNumber()))',
    why: 'a cache',
  },
  {
    path: 'src/core/money/decimal.ts',
    before: 'return a === b ? new Decimal(one).lt(other) : a < b',
    after: 'return a === b ? new Decimal(one).lt(other) : a <= b',
    why: 'equal ones have been compared before',
  },
  {
    path: 'src/core/money/decimal.ts',
    before: "const isShort = text.length <= digitsOfDoubles && !text.includes('e')",
    after: "const isShort = text.length < digitsOfDoubles && !text.includes('e')",
    why: 'a shortcut: twelve digits of a short number are the number',
  },
  {
    path: 'src/core/money/decimal.ts',
    before: "const isShort = text.length <= digitsOfDoubles && !text.includes('e')",
    after: "const isShort = text.length <= digitsOfDoubles && !text.includes('')",
    why: 'a shortcut: twelve digits of a short number are the number',
  },
  {
    path: 'src/core/money/units.ts',
    before: 'return decimals > 0 ? units / (powers[decimals] ?? NaN) : units',
    after: 'return decimals >= 0 ? units / (powers[decimals] ?? NaN) : units',
    why: 'a point without decimals has returned before',
  },
  {
    path: 'src/market/ladder/ladder.ts',
    before: 'share: total.times(weights[index]?.[level] ?? zero).div(sum),',
    after: 'share: total.times(weights[index][level] ?? zero).div(sum),',
    why: 'each side has weights: the question mark is for the compiler',
  },
  {
    path: 'src/market/ladder/prices.ts',
    before: "const ratio = by === 'ratio' ? new ShortDecimal(to).div(from).pow(one.div(last)) : one",
    after: 'const ratio = true ? new ShortDecimal(to).div(from).pow(one.div(last)) : one',
    why: 'lines at equal prices do not use the ratio',
  },
  {
    path: 'src/market/ladder/prices.ts',
    before: "const first = spacing.kind === 'offsets' ? undefined : spacing.first",
    after: 'const first = false ? undefined : spacing.first',
    why: 'offsets have no first: the question is for the compiler',
  },
  {
    path: 'src/market/ladder/prices.ts',
    before: "const first = spacing.kind === 'offsets' ? undefined : spacing.first",
    after: "const first = spacing.kind === '' ? undefined : spacing.first",
    why: 'offsets have no first: the question is for the compiler',
  },
  {
    path: 'src/market/ladder/leftover.ts',
    before: 'if (left.gt(ladder.unused)) left = ladder.unused',
    after: 'if (left.gte(ladder.unused)) left = ladder.unused',
    why: 'where both are equal, the assignment changes nothing',
  },
  {
    path: 'src/engine/orders/answers.ts',
    before: 'if (pausedMs > 0) pauseOrders(state, pausedMs)',
    after: 'if (true) pauseOrders(state, pausedMs)',
    why: 'a pause of 0 ms is none',
  },
  {
    path: 'src/engine/orders/unknown-orders.ts',
    before: 'if (doubtful.length === 0) return',
    after: 'if (false) return',
    why: 'a shortcut: nothing below does anything without an order in doubt',
  },
  {
    path: 'src/venues/whitebit/client/calls/nonces.ts',
    before: 'if (callsToCome > 0) recent?.push({ agoMs: -blockMs, calls: callsToCome })',
    after: 'if (true) recent?.push({ agoMs: -blockMs, calls: callsToCome })',
    why: 'an entry without calls counts nothing',
  },
  {
    path: 'src/journal/sqlite/journal.ts',
    before: "const strategy = 'strategy' in command ? command.strategy : null",
    after: 'const strategy = true ? command.strategy : null',
    why: 'SQLite stores undefined as NULL',
  },
  {
    path: 'src/core/money/decimal-text.ts',
    before: 'return a === b || trimmed(a) === trimmed(b)',
    after: 'return false || trimmed(a) === trimmed(b)',
    why: 'a shortcut: the same text is the same number',
  },
]

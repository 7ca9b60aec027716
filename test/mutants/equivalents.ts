/** A mutation after which the program does the same as before, so that no test can notice it. */
type Equivalent = { path: string; before: string; after: string; why: string }

export const equivalents: readonly Equivalent[] = [
  {
    path: 'src/money/atoms.ts',
    before: "if (value === 0n) return '0'",
    after: "if (false) return '0'",
    why: 'a shortcut: the lines below write 0 in the same way',
  },
  {
    path: 'src/money/atoms.ts',
    before: 'const negative = value < 0n',
    after: 'const negative = value <= 0n',
    why: 'zero has returned before',
  },
  {
    path: 'src/money/decimal.ts',
    before: 'if (double === undefined) doubles.set(value, (double = value.toNumber()))',
    after: 'if (true) doubles.set(value, (double = value.toNumber()))',
    why: 'a cache',
  },
  {
    path: 'src/money/decimal.ts',
    before: "const isShort = text.length <= digitsOfDoubles && !text.includes('e')",
    after: "const isShort = text.length < digitsOfDoubles && !text.includes('e')",
    why: 'a shortcut: twelve digits of a short number are the number',
  },
  {
    path: 'src/money/decimal.ts',
    before: "const isShort = text.length <= digitsOfDoubles && !text.includes('e')",
    after: "const isShort = text.length <= digitsOfDoubles && !text.includes('')",
    why: 'a shortcut: twelve digits of a short number are the number',
  },
]

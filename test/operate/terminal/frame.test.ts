import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frame, type TerminalView } from '#src/operate/terminal/frame.ts'
import { cellsOf } from '#src/operate/terminal/line.ts'
import { link, textOf, viewOf } from './view.ts'

const grid = viewOf('sgrid')
const shown = (view: TerminalView, columns: number, rows: number) =>
  frame(view, { columns, rows }).map(textOf)

test('40 columns and 15 rows show money, rungs on both sides of the price, events, link and keys', () => {
  const lines = shown(grid, 40, 15)
  expect(lines).toHaveLength(15)
  const text = lines.join('\n')
  expect(text).toContain('equity 100000.00')
  expect(text).toContain('[sgrid] mm2s')
  expect(text).toMatch(
    /60500 ● sell 0\.001735 ━+ +\+0\.83%\n60000 ◆ sell .*\n60000 ▶ BTC_USDT.*\n59500 ✓ buy/,
  )
  expect(text).toMatch(/… 9 more, up to 65000[^]*… 8 more, down to 55000/)
  expect(text).toContain('14:03:10 fill sgrid.grid.b1.39')
  expect(lines.join('')).toContain(link)
  expect(lines.at(-1)).toBe('tab: next strategy  q or Ctrl-C: stop')
})

test('200 columns and 60 rows show every rung with its reason, all strategies, limits and rules', () => {
  const text = shown(grid, 200, 60).join('\n')
  expect(text.match(/grid\.[bs]\d+ /g)).toHaveLength(20)
  expect(text).toMatch(/60500 ● sell .*grid\.s1\b/)
  expect(text).toMatch(/65000 · sell .*grid\.s10 {2,}its distance to the price is more than 5%/)
  expect(text).toMatch(/strategies +result +fees +rest\n.*▸ sgrid +\+0\.88 +0\.00 +12\b/)
  expect(text).toMatch(/max_open_orders +████░░░░ 12 of 24/)
  expect(text).toMatch(/place +true/)
  expect(text).toMatch(/● rests {2}◆ exit/)
})

test('an explanation that is longer than the terminal names the command that prints all of it', () => {
  const explained = Array.from({ length: 30 }, (_, line) => `line ${line}`)
  const lines = shown({ ...grid, explained }, 80, 12)
  expect(lines).toHaveLength(12)
  const last = lines.findLast((line) => line.startsWith('line '))
  const count = Number(last?.slice(5)) + 1
  expect(lines.at(-2)).toBe(`… ${30 - count} more lines: rungs why sgrid`)
  expect(lines.at(-1)).toBe('any key: back')
  expect(shown({ ...grid, explained: ['only this'] }, 80, 12).join('\n')).not.toContain('more lines')
})

test('the selected strategy is shown, with its orders in flight', () => {
  const text = shown(viewOf('mm2s'), 80, 24).join('\n')
  expect(text).toMatch(/^ sgrid {1,2}\[mm2s\]/m)
  expect(text).toMatch(/asks\.1\n60000\.00 ▶ BTC_PERP/)
  expect(text).toMatch(/60042\.00 ◐ sell/)
})

test('conditions that need the operator are at the top', () => {
  const { bot, strategies } = grid.tables
  const troubled = {
    ...grid.tables,
    bot: { '': { ...bot['']!, stopped: 'lunch', lost: 'a cable', drift: 'somebody else', real: true } },
    strategies: { ...strategies, sgrid: { ...strategies['sgrid']!, halted: 'its doubt', doubtful: 2 } },
  }
  const lines = shown({ ...grid, tables: troubled }, 80, 24)
  expect(lines[0]).toContain('REAL MONEY')
  expect(lines.slice(1, 7).join('\n')).toMatch(
    /resume: lunch\n.*answer: a cable\n.*disagree: somebody else\n2 orders with unknown outcome.*\n\[sgrid\].*\nresult.*/,
  )
  expect(lines).toContain('halted: its doubt')
  const wide = shown({ ...grid, tables: troubled }, 120, 40).join('\n')
  expect(wide).toMatch(/▸ sgrid .* halted *$/m)
})

/** Hostile text: cursor movement, colours, reversed direction, zero-width and wide characters. */
const hostile = fc.oneof(
  fc.constantFrom(
    '\u001b[2J\u001b[1;1H',
    '\r\n\n',
    '\u009b31m',
    '\u202egnol',
    '漢字漢字',
    '🪜👩‍👩‍👧',
    'e\u0301\u0300',
    '\u0007\b\b',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const number = /^-?\d+(?:\.\d+)?$/

/** The same tables with this text in place of all text that is no number, including names and keys. */
function spoilt<Value>(value: Value, words: string): Value {
  const text = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'string' && !number.test(each) && each !== 'sgrid' && !(each in known)
      ? each + words
      : each,
  )
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts were changed
  return JSON.parse(text) as Value
}
/** Values that select what is drawn. */
const known = {
  buy: 1,
  sell: 1,
  resting: 1,
  sent: 1,
  doubtful: 1,
  filled: 1,
  missing: 1,
  sending: 1,
  entry: 1,
  exit: 1,
}

test('with any text and any size, the frame fits, and nothing moves the cursor', () => {
  fc.assert(
    fc.property(
      hostile,
      fc.integer({ min: 1, max: 240 }),
      fc.integer({ min: 1, max: 70 }),
      (words, columns, rows) => {
        const view = { ...spoilt(grid, words), chosen: grid.chosen }
        const lines = shown(view, columns, rows)
        expect(lines).toHaveLength(rows)
        for (const line of lines) {
          expect(cellsOf(line)).toBeLessThanOrEqual(columns)
          expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u)
        }
      },
    ),
    { numRuns: 80, seed: 6 },
  )
})

test('a rung without a price has no row, and takes no other one', () => {
  const { rungs } = grid.tables
  const unknown = { ...rungs['sgrid.grid.s1']!, price: '', amount: '' }
  const text = shown(
    { ...grid, tables: { ...grid.tables, rungs: { ...rungs, 'sgrid.grid.s1': unknown } } },
    80,
    24,
  )
  expect(text.join('\n')).toMatch(/61000 ● sell/)
  expect(text.join('\n')).not.toContain('grid.s1 ')
})

test('a bot without any data has a frame', () => {
  const nothing = { bot: {}, strategies: {}, markets: {}, ladders: {}, rungs: {}, orders: {}, holdings: {} }
  const tables = {
    ...nothing,
    pairs: {},
    trades: {},
    balances: {},
    values: {},
    exits: {},
    limits: {},
    rules: {},
    feeds: {},
    lanes: {},
  }
  const view = { tables, time: '', events: [], chosen: undefined, link: null, keys: false }
  expect(shown(view, 80, 24).join('\n')).toMatch(/no strategy runs yet[^]*Ctrl-C: stop/)
})

test('with few events the last line stays at the bottom', () => {
  const lines = shown({ ...grid, events: [] }, 200, 60)
  expect(lines).toHaveLength(60)
  expect(lines.at(-1)).toMatch(/q or Ctrl-C: stop$/)
})

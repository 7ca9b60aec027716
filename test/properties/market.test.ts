import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Bytes } from '#src/market/data/bytes/bytes.ts'
import { CsvRows } from '#src/market/data/csv/csv-rows.ts'
import { JsonRows } from '#src/market/data/json/json-rows.ts'
import { blockColumns, Points } from '#src/market/data/points.ts'
import { Decimal } from '#src/core/money/decimal.ts'
import { runs } from './runs.ts'

/** Time, price and amount; the last two in 10^-9. */
type Point = [at: number, units: string, amount: string]
type Walk = { points: Point[]; notes: string[] }

const begin = 1_700_000_040_000
const minuteMs = 60_000

/** Bytes that arrive in pieces of these lengths, and the rest at once. */
function inPieces(content: Uint8Array, lengths: readonly number[]): Bytes {
  let [place, piece] = [0, 0]
  return {
    read(into, start) {
      const most = Math.min(lengths[piece++] ?? content.length, into.length - start)
      const part = content.subarray(place, place + most)
      into.set(part, start)
      place += part.length
      return part.length
    },
    close() {},
  }
}

function walk(content: Uint8Array, lengths: readonly number[] = []): Walk | { error: string } {
  try {
    const bytes = inPieces(content, lengths)
    const isJson = /^\uFEFF?\s*[[{]/.test(Buffer.from(content).toString('utf8'))
    const rows = isJson ? new JsonRows('a file', bytes) : new CsvRows('a file', bytes)
    const source = new Points('a file', rows, blockColumns())
    const points: Point[] = []
    for (const { count, at, units, amounts } of rows.layout.kind === 'bars'
      ? source.bars(minuteMs)
      : source.trades()) {
      for (let place = 0; place < count; place++) {
        points.push([at[place] ?? 0, String(units[place]), String(amounts[place])])
      }
    }
    return { points, notes: source.seen.notes }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

const digits = (most: number) =>
  fc.string({ unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'), maxLength: most })

function decimals(whole: number, behind: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** BigInt(whole) - 1n }), digits(behind))
    .map(([before, rest]) => (rest === '' ? String(before) : `${before}.${rest}`))
}

const price = decimals(6, 9).filter((text) => Number(text) > 0)
const trade = fc.record({
  passed: fc.integer({ min: 0, max: 9_000_000 }),
  price,
  amount: fc.oneof(decimals(3, 8), decimals(18, 18)),
})
const bar = fc.record({
  skipped: fc.constantFrom(0, 0, 0, 1, 7),
  prices: fc.array(price, { minLength: 4, maxLength: 4 }),
  volume: decimals(5, 12),
})

/** Rows as texts by name, and the points that they give. */
type Content = {
  kind: 'bars' | 'trades'
  rows: { [name: string]: string }[]
  times: number[]
  points: Point[]
}

const tradesContent = fc.array(trade, { minLength: 1, maxLength: 10 }).map((all): Content => {
  let at = begin
  const times = all.map(({ passed }) => (at += passed))
  return {
    kind: 'trades',
    times,
    rows: all.map(({ price, amount }, row) => ({
      id: String(100 + row),
      price,
      amount,
      side: row % 2 ? 'buy' : 'sell',
    })),
    points: all.map(({ price, amount }, row) => [
      times[row] ?? 0,
      exact(price).toFixed(),
      downToDouble(exact(amount)),
    ]),
  }
})

const barsContent = fc.array(bar, { minLength: 1, maxLength: 10 }).map((all): Content => {
  let at = begin - minuteMs
  const times = all.map(({ skipped }) => (at += (1 + skipped) * minuteMs))
  const rows = all.map(({ prices, volume }) => {
    const [low = '', open = '', close = '', high = ''] = prices.toSorted((a, b) => new Decimal(a).cmp(b))
    return { open, high, low, close, volume }
  })
  const points = rows.flatMap(({ open, high, low, close, volume }, row): Point[] => {
    const up = new Decimal(high).minus(open).lt(new Decimal(open).minus(low))
    const all = exact(volume)
    const part = all.div(4).floor()
    const path = [open, ...(up ? [high, low] : [low, high]), close]
    return path.map((price, place) => [
      (times[row] ?? 0) + ([0, 15_000, 45_000, 59_999][place] ?? 0),
      exact(price).toFixed(),
      (place < 3 ? part : all.minus(part.times(3))).toFixed(),
    ])
  })
  return { kind: 'bars', times, rows, points }
})

function exact(text: string): Decimal {
  return new Decimal(text).times(1_000_000_000).floor()
}

/** The largest double that is not above the value. */
function downToDouble(value: Decimal): string {
  const bits = new Float64Array([value.toNumber()])
  // Decimal reads the shortest text of a double.
  if (BigInt(bits[0] ?? 0) > BigInt(value.toFixed())) {
    const [whole = 0n] = new BigUint64Array(bits.buffer)
    new BigUint64Array(bits.buffer)[0] = whole - 1n
  }
  return String(bits[0])
}

/** The notation of the file. */
const style = fc.record({
  form: fc.constantFrom('header', 'archive', 'json lines', 'json'),
  unit: fc.constantFrom('s', 'ms', 'us'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  mark: fc.constantFrom('', '\uFEFF'),
  quote: fc.constantFrom('', '', '"'),
  turn: fc.integer({ min: 0, max: 6 }),
  isClosed: fc.boolean(),
})
type Style = typeof style extends fc.Arbitrary<infer Value> ? Value : never

function seconds(at: number): string {
  return at % 1000 === 0 ? String(at / 1000) : (at / 1000).toFixed(3)
}

function written(
  { kind, rows, times }: Content,
  { form, unit, lineEnd, mark, quote, turn, isClosed }: Style,
): Buffer {
  const whole = (at: number) => (unit === 'us' ? `${at}123` : String(at))
  const timeText = form === 'archive' || unit !== 's' ? whole : seconds
  const lines = rows.map((row, place) => lineOf(row, timeText(times[place] ?? 0)))
  function lineOf(row: { [name: string]: string }, time: string): string {
    const { id = '', price = '', amount = '', open = '', high = '', low = '', close = '', volume = '' } = row
    if (form === 'archive') {
      if (kind === 'trades') return `${id},${price},${amount},0.5,${time},true`
      return `${time},${open},${high},${low},${close},${volume},${time},1,2,3,4,0`
    }
    if (form !== 'header') {
      if (kind === 'bars') return `[${time},"${open}","${close}","${high}","${low}","${volume}","1"]`
      return `{"id":${id},"time":${time},"price":"${price}","amount":"${amount}"}`
    }
    const cells = Object.values({ timestamp: time, note: 'x y', ...row })
    return turned(cells)
      .map((cell) => `${quote}${cell}${quote}`)
      .join(',')
  }
  function turned<Item>(items: Item[]): Item[] {
    return [...items.slice(turn), ...items.slice(0, turn)]
  }
  if (form === 'json') lines.splice(0, lines.length, `{"result":[${lines.join(` ,${lineEnd}`)}]}`)
  if (form === 'header') lines.unshift(turned(['Timestamp', 'note', ...Object.keys(rows[0] ?? {})]).join(','))
  return Buffer.from(`${mark}${lines.join(lineEnd)}${isClosed ? lineEnd : ''}`)
}

const file = fc
  .tuple(fc.oneof(tradesContent, barsContent), style)
  .map(([content, how]) => ({ content, bytes: written(content, how) }))

test('in any notation the read points equal the written ones, digit for digit', () => {
  fc.assert(
    fc.property(file, ({ content, bytes }) => {
      expect(walk(bytes)).toMatchObject({ points: content.points })
    }),
    runs(300, 2500),
  )
})

test('the sizes of the byte pieces do not matter', () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 })
  fc.assert(
    fc.property(file, pieces, ({ bytes }, lengths) => {
      const whole = walk(bytes)
      expect(walk(bytes, lengths)).toEqual(whole)
      expect(
        walk(
          bytes,
          Array.from(bytes, () => 1),
        ),
      ).toEqual(whole)
    }),
    runs(100, 600),
  )
})

test('a file truncated at any byte is refused, or gives the rows before, or reports the row that may be truncated', () => {
  fc.assert(
    fc.property(file, ({ content, bytes }) => {
      const perRow = content.kind === 'bars' ? 4 : 1
      for (let length = 0; length < bytes.length; length++) {
        const found = walk(bytes.subarray(0, length))
        if ('error' in found) continue
        const doubtful = found.notes.some((note) => note.includes('has no line break and is used as it is'))
          ? perRow
          : 0
        const sure = found.points.slice(0, found.points.length - doubtful)
        expect(sure).toEqual(content.points.slice(0, sure.length))
      }
    }),
    runs(12, 75),
  )
})

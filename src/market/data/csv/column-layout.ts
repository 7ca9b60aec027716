/** The columns of a row: for each cell its place in `Rows.values`, or `ignored`. */
export type CsvLayout = {
  kind: 'bars' | 'trades' | 'funding' | 'futures' | 'depth'
  slots: Uint8Array
  /** Length of `Rows.values`. */
  valueCount: number
  /** Levels of an order book on each side, 0 for other kinds. */
  levels: number
  hasAmounts: boolean
  hasIds: boolean
  hasSides: boolean
  /** A row has another time beside its own. */
  hasTwoTimes: boolean
  /** What the header lacks, for people. */
  note?: string
  /** Rows are in the order in which a recorder received them, so some of them are late. */
  isByArrival: boolean
}

/**
 * The values of a row by place. Times are Unix milliseconds, and `unit` is the unit in the file; prices, amounts and
 * rates are in 10^-9.
 */
export const slot = {
  time: 0,
  price: 1,
  open: 1,
  high: 2,
  low: 3,
  close: 4,
  amount: 5,
  id: 6,
  unit: 7,
  rate: 8,
  calculated: 9,
  side: 10,
  mark: 11,
  index: 12,
  openInterest: 13,
  fundingAt: 14,
  listedRate: 15,
} as const
const slotCount = 16
export const ignored = 255

/**
 * The slots of an order book begin here, four for each level: price and amount of the ask, price and amount of the bid. So an
 * amount has an odd number.
 */
const firstLevelSlot = slotCount
const slotsOfLevel = 4
/** Most levels of a side that are read; a file may have more. */
export const levelsMost = 50

/** The slot of the price at a level; its amount is in the next one. */
export function levelSlot(side: 'ask' | 'bid', level: number): number {
  return firstLevelSlot + slotsOfLevel * level + (side === 'ask' ? 0 : 2)
}

/** Cells of these slots can be empty. */
export function canBeEmpty(wanted: number): boolean {
  return wanted >= slot.mark && wanted !== ignored
}

/** Amounts can be 0, and have more digits than prices. */
export function isAmount(wanted: number): boolean {
  return (
    wanted === slot.amount ||
    wanted === slot.openInterest ||
    (wanted >= firstLevelSlot && wanted !== ignored && wanted % 2 === 1)
  )
}

/** Column names, compared without case and punctuation; the first match in a header counts. */
export const columnNames = {
  time: [
    'opentime',
    'timestamp',
    'time',
    'transacttime',
    'tradetime',
    'tradetimestamp',
    'unix',
    'fundingtime',
    'calctime',
    'createdtime',
    'createtime',
  ],
  volume: ['volume', 'basevolume', 'vol'],
  amount: ['amount', 'qty', 'quantity', 'size', 'volume'],
  id: ['id', 'tradeid', 'aggtradeid'],
  rate: ['rate', 'fundingrate', 'lastfundingrate'],
  calculated: ['ratecalculatedtime'],
  side: ['side', 'takerside', 'type', 'isbuyermaker', 'buyermaker'],
  mark: ['markprice', 'mark'],
  index: ['indexprice', 'index'],
  openInterest: ['openinterest', 'sumopeninterest'],
  fundingAt: ['fundingtimestamp', 'nextfundingtimestamp', 'nextfundingtime'],
}

export function plainName(cell: string): string {
  return cell.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

export function layoutOfHeader(cells: readonly string[]): CsvLayout | undefined {
  const plain = cells.map(plainName)
  const placeOf = (wanted: readonly string[]) => {
    const name = wanted.find((each) => plain.includes(each))
    return name === undefined ? -1 : plain.indexOf(name)
  }
  const time = placeOf(columnNames.time)
  const [open, high, low, close] = ['open', 'high', 'low', 'close'].map((name) => plain.indexOf(name))
  const bar = { open, high, low, close, amount: placeOf(columnNames.volume), id: -1 }
  const price = plain.indexOf('price')
  if (time === -1) return undefined
  if (![open, high, low, close].includes(-1)) return layout('bars', cells.length, { time, ...bar })
  const levels = levelPlaces(plain)
  const isByArrival = plain.includes('localtimestamp')
  const note = levelNote(plain, levels.length)
  if (levels.length > 0)
    return { ...layoutOfBook(cells.length, time, levels), ...(note !== undefined && { note }), isByArrival }
  if (price === -1) {
    const rate = placeOf(columnNames.rate)
    const [mark, index, openInterest, fundingAt] = [
      placeOf(columnNames.mark),
      placeOf(columnNames.index),
      placeOf(columnNames.openInterest),
      placeOf(columnNames.fundingAt),
    ]
    // Lists of past payments can have the mark price at which each was paid.
    const isListed = index !== -1 || openInterest !== -1 || fundingAt !== -1 || (mark !== -1 && rate === -1)
    if (isListed)
      return {
        ...layout('futures', cells.length, { time, mark, index, openInterest, listedRate: rate, fundingAt }),
        isByArrival,
      }
    return rate === -1
      ? undefined
      : layout('funding', cells.length, { time, rate, calculated: placeOf(columnNames.calculated) })
  }
  const trade = {
    price,
    amount: placeOf(columnNames.amount),
    id: placeOf(columnNames.id),
    side: placeOf(columnNames.side),
  }
  return { ...layout('trades', cells.length, { time, ...trade }), isByArrival }
}

/** The columns of a file of order books. */
export function bookHeader(levels: number): string[] {
  return ['timestamp', ...Array.from({ length: levels }, (_, level) => levelHeader(level)).flat()]
}

function levelHeader(level: number): string[] {
  return ['asks', 'bids'].flatMap((side) => [`${side}[${level}].price`, `${side}[${level}].amount`])
}

/** The places of `asks[0].price`, `asks[0].amount`, `bids[0].price` and `bids[0].amount`, for each level that has all four. */
function levelPlaces(plain: readonly string[]): number[][] {
  const found: number[][] = []
  for (let level = 0; level < levelsMost; level++) {
    const places = ['asks', 'bids'].flatMap((side) =>
      ['price', 'amount'].map((what) => plain.indexOf(`${side}${level}${what}`)),
    )
    if (places.includes(-1)) break
    found.push(places)
  }
  return found
}

/** Levels behind the first incomplete one are not read, although the header has columns of them. */
function levelNote(plain: readonly string[], read: number): string | undefined {
  const named = plain.flatMap((name) => /^(?:asks|bids)(\d+)(?:price|amount)$/.exec(name)?.[1] ?? [])
  const levels = Math.max(0, ...named.map(Number)) + 1
  const missing = levelHeader(read).filter((name) => !plain.includes(plainName(name)))
  if (levels <= read || missing.length === 0) return undefined
  return `The header has no ${missing.join(', ')}, so only ${read} of ${levels} levels are read.`
}

function layoutOfBook(cells: number, time: number, levels: readonly number[][]): CsvLayout {
  const book = layout('depth', cells, { time })
  for (const [level, places] of levels.entries())
    for (const [part, place] of places.entries())
      book.slots[place] = firstLevelSlot + slotsOfLevel * level + part
  return { ...book, valueCount: firstLevelSlot + slotsOfLevel * levels.length, levels: levels.length }
}

const uuid = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i

/** The layout without the ids if those of the first row are no numbers: only numbers are compared. */
export function withoutForeignIds(layout: CsvLayout, cells: readonly string[]): CsvLayout {
  const id = cells[layout.slots.indexOf(slot.id)]
  if (id === undefined || (id !== '' && id !== 'null' && !uuid.test(id))) return layout
  return { ...layout, slots: layout.slots.map((each) => (each === slot.id ? ignored : each)), hasIds: false }
}

/** The layout of rows in the archives of exchanges, which often have no header, from the shapes of the cells. */
export function layoutOfArchive(cells: readonly string[]): { layout: CsvLayout; what: string } | undefined {
  const shape = cells.map(shapeOf).join('')
  for (const { pattern, what, kind, places } of archives) {
    if (pattern.test(shape)) return { layout: layout(kind, cells.length, places), what }
  }
  return undefined
}

const archives = [
  {
    pattern: /^t[nt]{5}t[nt]{5}$/,
    what: 'open_time, open, high, low, close, volume, close_time, ...',
    kind: 'bars',
    places: { time: 0, open: 1, high: 2, low: 3, close: 4, amount: 5, id: -1 },
  },
  {
    pattern: /^[nt]{4}tbb?$/,
    what: 'id, price, qty, quoteQty, time, isBuyerMaker',
    kind: 'trades',
    places: { id: 0, price: 1, amount: 2, time: 4, side: 5 },
  },
  {
    pattern: /^[nt]{5}tbb?$/,
    what: 'aggTradeId, price, qty, firstTradeId, lastTradeId, time, isBuyerMaker',
    kind: 'trades',
    places: { id: 0, price: 1, amount: 2, time: 5, side: 6 },
  },
] as const

/** Time, number, boolean, or other text. */
function shapeOf(cell: string): string {
  if (/^\d{10,16}$/.test(cell)) return 't'
  if (/^\d+(?:\.\d+)?$/.test(cell)) return 'n'
  return /^(?:true|false)$/i.test(cell) ? 'b' : 'x'
}

function layout(
  kind: CsvLayout['kind'],
  cells: number,
  places: Partial<Record<keyof typeof slot, number | undefined>>,
): CsvLayout {
  const slots = new Uint8Array(cells).fill(ignored)
  for (const [name, place = -1] of Object.entries(places)) {
    if (place !== -1) slots[place] = slotOf(name)
  }
  const has = (wanted: number) => slots.includes(wanted)
  return {
    kind,
    slots,
    valueCount: slotCount,
    levels: 0,
    hasAmounts: has(slot.amount),
    hasIds: has(slot.id),
    hasSides: has(slot.side),
    hasTwoTimes: kind === 'funding' || kind === 'futures',
    isByArrival: false,
  }
}

function slotOf(name: string): number {
  const found = Object.entries(slot).find(([each]) => each === name)
  return found ? found[1] : ignored
}

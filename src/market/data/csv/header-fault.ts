import { bookHeader, columnNames, plainName } from './column-layout.ts'

/** The columns of each kind of file, as the error messages show them. */
export const headers = {
  prices: 'timestamp,open,high,low,close,volume or timestamp,price,amount,side',
  funding: 'timestamp,rate',
  depth: bookHeader(1).join(','),
  futures: 'timestamp,mark_price,index_price,open_interest,funding_rate,funding_timestamp',
} as const

const { mark, index, openInterest, fundingAt } = columnNames
const futuresNames: ReadonlySet<string> = new Set([mark, index, openInterest, fundingAt].flat())

/** Kinds of files that a column gives away, although the header lacks another one. */
const partial = [
  {
    kind: 'order books',
    isOf: (name: string) => /ask|bid/.test(name),
    needed: bookHeader(1).slice(1),
    header: headers.depth,
  },
  { kind: 'futures', isOf: (name: string) => futuresNames.has(name), needed: [], header: headers.futures },
]

/** What is wrong with a first line that has neither the columns of a kind of file nor the form of a row of an archive. */
export function headerFault(text: string, cells: readonly string[]): { what: string; fix: string } {
  const shown = `"${text.slice(0, 60)}"`
  const plain = cells.map(plainName)
  const found = partial.find(({ isOf }) => plain.some(isOf))
  if (!found)
    return {
      what: `${shown} is not a header of bars, trades, funding, order books or futures`,
      fix:
        `Write ${headers.prices} above the rows ` +
        `(of funding: ${headers.funding}; of order books: ${headers.depth}; of futures: ${headers.futures})`,
    }
  const missing = columnNames.time.some((name) => plain.includes(name))
    ? found.needed.filter((name) => !plain.includes(plainName(name)))
    : ['timestamp']
  return {
    what: `${shown} is a header of ${found.kind} without ${missing.join(', ')}`,
    fix: `Write ${found.header} above the rows`,
  }
}

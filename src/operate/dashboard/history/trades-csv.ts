import { setImmediate } from 'node:timers/promises'
import type { TradeHistory } from './trade-history.ts'
import type { TradeRow } from './trade-row.ts'

const columns = [
  'strategy',
  'market',
  'ladder',
  'rungs',
  'exit',
  'kind',
  'side',
  'amount',
  'entry',
  'close',
  'profit',
  'percent',
  'fees',
] as const satisfies (keyof TradeRow)[]
const heads = [...columns, 'opened_at', 'closed_at', 'duration_ms']

/** All kept trades, the newest first. Times are ISO 8601 in UTC; an unknown time is empty. */
export async function tradesCsv(trades: Pick<TradeHistory, 'pages'>): Promise<string> {
  const lines = [heads.join(',')]
  for (const page of trades.pages()) {
    for (const row of page) lines.push(lineOf(row))
    await setImmediate()
  }
  return `${lines.join('\r\n')}\r\n`
}

function lineOf(row: TradeRow): string {
  const { openedAt, closedAt } = row
  const times = [openedAt, closedAt].map((at) => (at === null ? '' : new Date(at).toISOString()))
  const duration = openedAt === null ? '' : String(closedAt - openedAt)
  return [...columns.map((name) => row[name]), ...times, duration].map(csvCell).join(',')
}

export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

import { existsSync } from 'node:fs'
import { candleIntervals, type CandleInterval } from '#src/market/candles/candle-intervals.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import { reasonOf } from '#src/venues/whitebit/adapter/read-of.ts'
import { Shutdown } from '#src/cli/run/shutdown.ts'
import { clientOf } from '#src/cli/files/venue-access.ts'
import { publicVenue, refuseUnknownMarkets } from '#src/cli/files/public-venue.ts'
import { printed } from '#src/cli/words/printed.ts'
import { timeText } from '#src/cli/words/text.ts'
import { usage } from '#src/cli/words/usage.ts'
import { histories, type HistoryKind, type HistorySpan } from './histories.ts'
import { PartFile } from './part-file.ts'

export type DownloadFlags = {
  venue: string
  what: HistoryKind
  bars: string
  from: number
  to?: number
  out: string
  json?: boolean
}

const progressEveryMs = 2000

/** `rungs download`: the history of a market from public calls of a venue, as a market file. A second start continues. */
export async function download(market: string, flags: DownloadFlags): Promise<number> {
  const { venue, what, from, out } = flags
  if (existsSync(out)) throw usage(`${out} exists`, 'Name a new file')
  const interval = intervalOf(flags.bars)
  const address = publicVenue(venue)
  const ending = new Shutdown()
  const cut = new AbortController()
  void ending.requested.then(() => cut.abort())
  const client = clientOf(address, { signal: cut.signal, readsAnywhere: true })
  try {
    await refuseUnknownMarkets(client, address.url, [market], cut.signal)
    const until = await endOf(client, flags, address.url)
    if (from >= until) throw usage(`--from is not before the end, ${timeText(until)}`, 'Name an earlier time')
    const { header } = histories[what]
    const of = what === 'bars' ? `bars of ${interval}` : what
    const about = [
      `# market: ${market}`,
      `# ${of} from ${timeText(from)}, downloaded from ${address.url}`,
      header,
    ]
    using file = PartFile.open(`${out}.part`, about)
    const isWhole = await fill(file, client, {
      market,
      what,
      interval,
      from,
      until,
      signal: cut.signal,
      url: address.url,
    })
    ending.rethrow()
    if (!isWhole) {
      process.stderr.write(`Stopped: ${file.path} holds ${file.rows} rows. The same command continues.\n`)
      return exitCodes.temporary
    }
    file.finish(out)
    return printed(summary(out, market, file.rows, flags.json === true))
  } finally {
    await client.close()
  }
}

type Filling = HistorySpan & { what: HistoryKind; signal: AbortSignal; url: string }

/** Appends page by page; false if a signal ended it before. */
async function fill(file: PartFile, client: Client, wanted: Filling): Promise<boolean> {
  const { market, what, interval, until, signal } = wanted
  const history = histories[what]
  const last = file.last
  let from = last === undefined ? wanted.from : last * 1000 + history.stepMs(interval)
  if (last !== undefined) process.stderr.write(`${file.path} is continued from ${timeText(from)}\n`)
  let toldAt = systemClock.monotonic()
  while (from < until) {
    const page = await history.read(client, { ...wanted, from })
    if (signal.aborted) return false
    if ('failed' in page)
      throw new BotError(page.failed.kind === 'refused' ? 'VENUE_REFUSED' : 'VENUE_UNREACHABLE', {
        seen: `${wanted.url}: ${printable(reasonOf(page.failed))}`,
        fix: `The same command continues: ${file.path} holds ${file.rows} rows`,
      })
    file.append(page.rows)
    from = page.until
    if (systemClock.monotonic() - toldAt < progressEveryMs) continue
    toldAt = systemClock.monotonic()
    const share = Math.floor((100 * (from - wanted.from)) / (until - wanted.from))
    process.stderr.write(`${market}: ${file.rows} rows until ${timeText(from)}, ${share} %\n`)
  }
  return true
}

/** Rows that are still growing are left out: the end is the time of the venue at most. */
async function endOf(client: Client, { to, what, bars }: DownloadFlags, url: string): Promise<number> {
  const told = await client.time()
  if (told.kind !== 'answer')
    throw new BotError('VENUE_UNREACHABLE', { seen: `${url}: ${printable(reasonOf(told))}` })
  const now = told.value.time * 1000
  const end = Math.min(to ?? now, now)
  const step = histories[what].stepMs(intervalOf(bars))
  return end - (end % step)
}

function intervalOf(text: string): CandleInterval {
  // Months have no fixed length.
  if (isInterval(text) && text !== '1M') return text
  const names = Object.keys(candleIntervals).filter((name) => name !== '1M')
  throw usage(`"${text.slice(0, 20)}" is not an interval of bars`, `Use one of ${names.join(', ')}`)
}

function isInterval(name: string): name is CandleInterval {
  return Object.hasOwn(candleIntervals, name)
}

function summary(file: string, market: string, rows: number, asJson: boolean): string {
  return asJson
    ? JSON.stringify({ event: 'downloaded', file, market, rows })
    : `${file} holds ${rows} rows of ${market}. Look at it: npx rungs market ${file}`
}

import { existsSync } from 'node:fs'
import { BotError } from '#src/core/errors/bot-error.ts'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import type { Client } from '#src/venues/whitebit/client/client.ts'
import type { AnyOutcome } from '#src/venues/whitebit/client/answers/outcome.ts'
import { reasonOf } from '#src/venues/whitebit/adapter/read-of.ts'
import { Shutdown } from '#src/cli/run/shutdown.ts'
import { clientOf } from '#src/cli/files/venue-access.ts'
import { publicVenue, refuseUnknownMarkets } from '#src/cli/files/public-venue.ts'
import { intervalOf } from '#src/cli/words/flags.ts'
import { printed } from '#src/cli/words/printed.ts'
import { counted, timeText } from '#src/cli/words/text.ts'
import { usage } from '#src/cli/words/usage.ts'
import { histories, type HistoryKind, type HistorySpan } from './histories.ts'
import { PartFile } from './part-file.ts'

export type DownloadFlags = {
  venue: string
  what: HistoryKind
  bars?: string
  from: number
  to?: number
  out: string
  json?: boolean
}

const progressEveryMs = 2000

/** `rungs download`: writes the history of a market from public calls of a venue to a market file, or continues it. */
export async function download(market: string, flags: DownloadFlags): Promise<number> {
  const { venue, what, from, out } = flags
  if (existsSync(out)) throw usage(`${out} exists`, 'Name a new file')
  if (what !== 'bars' && flags.bars !== undefined) throw usage('--bars needs --what bars', 'Omit --bars')
  const interval = intervalOf(flags.bars ?? '1m')
  if (interval === '1M') throw usage('bars of a month have no fixed length', 'Download days: --bars 1d')
  const address = publicVenue(venue)
  const ending = new Shutdown()
  const { signal } = ending
  const client = clientOf(address, { signal, readsAnywhere: true })
  try {
    await refuseUnknownMarkets(client, address.url, [market], signal)
    const until = await endOf(client, flags.to, histories[what].stepMs(interval), address.url)
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
      signal,
      url: address.url,
    })
    ending.rethrow()
    if (!isWhole) {
      const left = `${file.path} has ${counted(file.rows, 'row')}. The same command continues the download.`
      process.stderr.write(`Stopped: ${file.rows === 0 ? 'nothing was downloaded.' : left}\n`)
      return exitCodes.temporary
    }
    if (file.rows === 0)
      throw usage(
        `${address.url} has no ${of} of ${market} from ${timeText(from)} to ${timeText(until)}`,
        what === 'funding' ? 'Name a futures market or another time span' : 'Name another time span',
      )
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
  if (last !== undefined)
    process.stderr.write(
      `${file.path} has ${file.rows} rows: the download continues from ${timeText(from)}\n`,
    )
  let reportedAt = systemClock.monotonic()
  while (from < until) {
    const page = await history.read(client, { ...wanted, from })
    if (signal.aborted) return false
    if ('failed' in page) throw failure(page.failed, wanted.url, file)
    if (file.rows === 0) tellLateBegin(wanted, page.rows)
    file.append(page.rows)
    from = page.until
    if (systemClock.monotonic() - reportedAt < progressEveryMs) continue
    reportedAt = systemClock.monotonic()
    const share = Math.floor((100 * (from - wanted.from)) / (until - wanted.from))
    process.stderr.write(`${market}: ${file.rows} rows until ${timeText(from)}, ${share} %\n`)
  }
  return true
}

/** Funding is paid some hours apart, so only bars are known to be missing. */
function tellLateBegin({ market, what, from, interval }: Filling, [row]: readonly string[]): void {
  const begin = Number(row?.split(',', 1)[0]) * 1000
  if (row === undefined || what !== 'bars' || begin < from + histories.bars.stepMs(interval)) return
  process.stderr.write(`The history of ${market} begins at ${timeText(begin)}, later than --from.\n`)
}

/** The end of the last complete row: the time of the venue at most. */
async function endOf(client: Client, to: number | undefined, stepMs: number, url: string): Promise<number> {
  const answer = await client.time()
  if (answer.kind !== 'answer')
    throw new BotError('VENUE_UNREACHABLE', { seen: `${url}: ${printable(reasonOf(answer))}` })
  const now = answer.value.time * 1000
  const end = Math.min(to ?? now, now)
  return end - (end % stepMs)
}

function failure(outcome: AnyOutcome, url: string, { path, rows }: PartFile): BotError {
  const seen = `${url}: ${reasonsOf(outcome).map(printable).join('; ')}`
  if (outcome.kind === 'refused') return new BotError('VENUE_REFUSED', { seen })
  const fix = `The same command continues the download: ${path} has ${rows} rows`
  return new BotError('VENUE_UNREACHABLE', rows === 0 ? { seen } : { seen, fix })
}

/** A refusal names its reasons by field. */
function reasonsOf(outcome: AnyOutcome): string[] {
  const texts = outcome.kind === 'refused' ? Object.values(outcome.errors).flat() : []
  return texts.length > 0 ? texts : [reasonOf(outcome)]
}

function summary(file: string, market: string, rows: number, asJson: boolean): string {
  return asJson
    ? JSON.stringify({ event: 'downloaded', file, market, rows })
    : `${file} has ${rows} rows of ${market}. Inspect it: npx rungs market ${file}`
}

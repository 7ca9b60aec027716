import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '#src/core/disk/folder.ts'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { inputRows, type InputRows } from '#src/research/recording/input-rows.ts'
import { marketRows, type MarketRows } from '#src/research/recording/market-rows.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { columns, timeText } from '#src/cli/words/text.ts'
import { printed } from '#src/cli/words/printed.ts'

/**
 * `rungs market TAPE`: lists the prices on a tape, and writes them as market files, one for each market; and what the bot has
 * polled beside prices.
 */
export function tapeMarket(path: string, flags: { write?: string; json?: boolean }): number {
  const { begin, events, notes } = readTape(path)
  const markets = marketRows(events)
  // The times on a tape are those of the recorder, and a faster exchange has other ones.
  const inputs = begin.speed === 1 ? inputRows(events) : []
  if (markets.length + inputs.length === 0) {
    throw new BotError('TAPE_INVALID', {
      seen: `${path} holds neither trades nor closed candles`,
      fix: 'Record trades with: rungs record --venue FILE --market NAME --out TAPE',
    })
  }
  const written = flags.write === undefined ? [] : writeAll([...markets, ...inputs], flags.write)
  const facts = [...markets, ...inputs].map(factsOf)
  if (flags.json === true) {
    return printed(JSON.stringify({ file: path, markets: facts, notes, written }))
  }
  const rows = facts.map(({ market, kind, interval, rows: count, from, to }) => [
    market,
    `${count.toLocaleString('en')} ${kind}${interval === undefined ? '' : ` of ${interval}`}`,
    `${timeText(from)} to ${timeText(to)}`,
  ])
  const lines = [...columns(rows), ...notes, ...written.map((file) => `written to ${file}`)]
  return printed([printable(path), ...lines.map((line) => `  ${printable(line)}`)].join('\n'))
}

type FileRows = MarketRows | InputRows

function factsOf(found: FileRows) {
  const { market, rows } = found
  const [from, to] = [rows.at(0), rows.at(-1)].map((row) => Number(row?.split(',', 1)[0]))
  const interval = 'interval' in found ? found.interval : undefined
  const kind = 'kind' in found ? found.kind : interval === undefined ? 'trades' : 'bars'
  return {
    market,
    kind,
    ...(interval !== undefined && { interval }),
    rows: rows.length,
    from: from ?? 0,
    to: to ?? 0,
  }
}

/** No file is written if one of them exists. */
function writeAll(found: readonly FileRows[], folder: string): string[] {
  const files = found.map(({ market, header, rows, ...about }) => ({
    path: join(folder, 'kind' in about ? `${market}-${about.kind}.csv` : `${market}.csv`),
    text: [`# market: ${market}`, header, ...rows, ''].join('\n'),
  }))
  const taken = files.find(({ path }) => existsSync(path))
  if (taken) throw usage(`${taken.path} exists`, 'Name a new folder')
  makeFolder(folder)
  for (const { path, text } of files) writeWholeFile(path, text, { mode: 0o666 })
  return files.map(({ path }) => path)
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '#src/core/disk/folder.ts'
import { writeWholeFile } from '#src/core/disk/atomic-write.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { usage } from '#src/cli/words/usage.ts'
import { marketRows, type MarketRows } from '#src/research/recording/market-rows.ts'
import { readTape } from '#src/research/recording/read-tape.ts'
import { printable } from '#src/operate/terminal/printable.ts'
import { columns, timeText } from '#src/cli/words/text.ts'
import { printed } from '#src/cli/words/printed.ts'

/** `rungs market TAPE`: lists the prices on a tape, and writes them as market files, one for each market. */
export function tapeMarket(path: string, flags: { write?: string; json?: boolean }): number {
  const { events, notes } = readTape(path)
  const markets = marketRows(events)
  if (markets.length === 0) {
    throw new BotError('TAPE_INVALID', {
      seen: `${path} holds neither trades nor closed candles`,
      fix: 'Record trades with: rungs record --venue FILE --market NAME --out TAPE',
    })
  }
  const written = flags.write === undefined ? [] : writeAll(markets, flags.write)
  const facts = markets.map(factsOf)
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

function factsOf({ market, interval, rows }: MarketRows) {
  const [from, to] = [rows.at(0), rows.at(-1)].map((row) => Number(row?.split(',', 1)[0]))
  const about = interval === undefined ? { kind: 'trades' } : { kind: 'bars', interval }
  return { market, ...about, rows: rows.length, from: from ?? 0, to: to ?? 0 }
}

/** No file is written if one of them exists. */
function writeAll(markets: readonly MarketRows[], folder: string): string[] {
  const files = markets.map(({ market, header, rows }) => ({
    path: join(folder, `${market}.csv`),
    text: [`# market: ${market}`, header, ...rows, ''].join('\n'),
  }))
  const taken = files.find(({ path }) => existsSync(path))
  if (taken) throw usage(`${taken.path} exists`, 'Name a new folder')
  makeFolder(folder)
  for (const { path, text } of files) writeWholeFile(path, text, { mode: 0o666 })
  return files.map(({ path }) => path)
}

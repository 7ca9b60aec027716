import type { BotError } from '#src/core/errors/bot-error.ts'
import type { CsvLayout } from '#src/market/data/csv/column-layout.ts'
import { headers } from '#src/market/data/csv/header-fault.ts'
import { badMarket } from './market-file-error.ts'

type Kind = CsvLayout['kind']

const prices = { rows: 'prices', flag: '--market', header: headers.prices }
const kinds: Record<Kind, { rows: string; flag: string; header: string }> = {
  bars: prices,
  trades: prices,
  funding: { rows: 'funding rates', flag: '--funding', header: headers.funding },
  futures: { rows: 'values of futures', flag: '--futures', header: headers.futures },
  depth: { rows: 'order books', flag: '--depth', header: headers.depth },
}

/** The error of a file whose rows are of another kind than the command reads. */
export function otherKind(path: string, found: Kind, wanted: Kind): BotError {
  const [one, other] = [kinds[found], kinds[wanted]]
  return badMarket(
    path,
    `holds ${one.rows}, not ${other.rows}`,
    `Pass it as ${one.flag} of rungs backtest or rungs sweep; ${other.rows} have the columns ${other.header}`,
  )
}

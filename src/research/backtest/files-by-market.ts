import { BotError } from '#src/core/errors/bot-error.ts'
import { isPerpetual } from './world.ts'

/** Files beside those of prices. `what` one is of its market, `of` which markets, and which others have none. */
const kinds = {
  funding: {
    what: 'the funding of',
    of: 'perpetual',
    others: 'only perpetuals such as BTC_PERP pay funding',
    fits: isPerpetual,
  },
  futures: {
    what: 'about',
    of: 'perpetual',
    others: 'only perpetuals such as BTC_PERP are listed as futures',
    fits: isPerpetual,
  },
  depth: { what: 'the order book of', of: 'market', others: '', fits: () => true },
} as const

/** By market; a file without a name is for the only market of its kind that is traded. */
export function filesByMarket<File extends object>(
  kind: keyof typeof kinds,
  given: ReadonlyMap<string, File> | undefined,
  symbols: readonly string[],
): ReadonlyMap<string, File> {
  const { what, of, others, fits } = kinds[kind]
  const fitting = symbols.filter(fits)
  const traded = `the strategies trade ${symbols.join(' and ')}`
  return new Map(
    [...(given ?? [])].map(([named, each]) => {
      const file = 'file' in each ? String(each.file) : `the file of --${kind}`
      const [only = '', ...more] = fitting
      if (only === '') throw unfit(`${traded}, and ${others}`, `Omit --${kind}`)
      if (named === '' && more.length > 0) {
        const fix = `Name the market: --${kind} ${only}=FILE`
        throw unfit(`${traded}, and ${file} does not name its market`, fix)
      }
      if (named !== '' && !fitting.includes(named)) {
        const pass = kind === 'funding' ? 'Pass the funding of' : 'Pass the file of'
        throw unfit(
          `${file} is ${what} ${named}, and ${traded}`,
          `${pass} a traded ${of}: --${kind} ${only}=FILE`,
        )
      }
      return [named === '' ? only : named, each]
    }),
  )
}

function unfit(seen: string, fix: string): BotError {
  return new BotError('MARKET_INVALID', { seen, fix })
}

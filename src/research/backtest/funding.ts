import { BotError } from '#src/core/errors/bot-error.ts'
import type { Funding } from '#src/market/data/historical-market.ts'
import { isPerpetual } from './world.ts'

/** By perpetual; a file without a name is for the only perpetual that is traded. */
export function fundingOf(
  given: ReadonlyMap<string, Funding>,
  symbols: readonly string[],
): ReadonlyMap<string, Funding> {
  const perpetuals = symbols.filter(isPerpetual)
  const traded = `the strategies trade ${symbols.join(' and ')}`
  return new Map(
    [...given].map(([named, funding]) => {
      const [only = '', ...more] = perpetuals
      if (only === '') {
        throw unfit(`${traded}, and only perpetuals such as BTC_PERP pay funding`, 'Omit --funding')
      }
      if (named === '' && more.length > 0) {
        const fix = `Name the market: --funding ${only}=FILE`
        throw unfit(`${traded}, and ${funding.file} does not name its market`, fix)
      }
      if (named !== '' && !perpetuals.includes(named)) {
        const fix = `Pass the funding of a traded perpetual: --funding ${only}=FILE`
        throw unfit(`${funding.file} is the funding of ${named}, and ${traded}`, fix)
      }
      return [named === '' ? only : named, funding]
    }),
  )
}

function unfit(seen: string, fix: string): BotError {
  return new BotError('MARKET_INVALID', { seen, fix })
}

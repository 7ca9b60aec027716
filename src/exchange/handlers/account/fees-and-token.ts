import { formatAtoms } from '#src/core/money/atoms.ts'
import { feeTierOf } from '#src/exchange/trading/traded-volume.ts'
import { grantToken } from '#src/exchange/http/stream-tokens.ts'
import type { Handler } from '#src/exchange/venue-context.ts'
import type { WorldMarket } from '#src/exchange/world-file.ts'

export const streamToken: Handler<'streamToken'> = ({ venue, account, now }) => ({
  websocket_token: grantToken(venue.state, account, now),
})

/**
 * In the world file the rates belong to the markets. The first market of each kind gives the default rates. An account has the
 * rates of its fee tier.
 */
export const marketFees: Handler<'marketFees'> = ({ venue, account, now }) => {
  const rates = [...venue.markets.values()].map(
    (market) => [market, ratesOf(market.rates[feeTierOf(account, market, now)])] as const,
  )
  const [spot, futures] = (['spot', 'futures'] as const).map(
    (kind) => rates.find(([{ rules }]) => rules.kind === kind)?.[1],
  )
  return {
    error: null,
    taker: spot?.taker ?? '0',
    maker: spot?.maker ?? '0',
    futures_taker: futures?.taker ?? '0',
    futures_maker: futures?.maker ?? '0',
    rpi_maker_fee_premium: null,
    futures_rpi_maker_fee_premium: null,
    custom_fee: Object.fromEntries(rates.map(([{ name }, each]) => [name, each])),
  }
}

/** In percent. */
function ratesOf(fees: Pick<WorldMarket, 'takerFee' | 'makerFee'> | undefined) {
  return {
    taker: formatAtoms((fees?.takerFee ?? 0n) * 100n),
    maker: formatAtoms((fees?.makerFee ?? 0n) * 100n),
  }
}

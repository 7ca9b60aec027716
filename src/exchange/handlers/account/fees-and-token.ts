import { formatAtoms } from '#src/core/money/atoms.ts'
import { grantToken } from '#src/exchange/http/stream-tokens.ts'
import type { Handler } from '#src/exchange/venue-context.ts'
import type { WorldMarket } from '#src/exchange/world-file.ts'

export const streamToken: Handler<'streamToken'> = ({ venue, account, now }) => ({
  websocket_token: grantToken(venue.state, account, now),
})

/** In the world file the rates belong to the markets. The first market of each kind gives the default rates. */
export const marketFees: Handler<'marketFees'> = ({ venue }) => {
  const markets = Object.entries(venue.world.markets)
  const [spot, futures] = (['spot', 'futures'] as const).map((kind) =>
    ratesOf(markets.find(([, rules]) => rules.kind === kind)?.[1]),
  )
  return {
    error: null,
    taker: spot?.taker ?? '0',
    maker: spot?.maker ?? '0',
    futures_taker: futures?.taker ?? '0',
    futures_maker: futures?.maker ?? '0',
    rpi_maker_fee_premium: null,
    futures_rpi_maker_fee_premium: null,
    custom_fee: Object.fromEntries(markets.map(([name, rules]) => [name, ratesOf(rules)])),
  }
}

/** In percent. */
function ratesOf(rules: WorldMarket | undefined) {
  return {
    taker: formatAtoms((rules?.takerFee ?? 0n) * 100n),
    maker: formatAtoms((rules?.makerFee ?? 0n) * 100n),
  }
}

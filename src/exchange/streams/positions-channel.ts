import { z } from 'zod'
import { positionView } from '#src/exchange/ledger/account-views.ts'
import type { ExchangeAccount } from '../state.ts'
import type { VenueContext } from '#src/exchange/venue-context.ts'
import {
  privateMethod,
  update,
  topicsChannel,
  type Channel,
  type SendFrame,
  type UpdateOf,
} from './channel.ts'

const everyTicks = 10

/** All open positions of an account, every second, changed or not. */
export function positionsChannel(venue: VenueContext, post: SendFrame): Channel {
  const { audience, methods, leave } = topicsChannel(
    'positionsMargin',
    privateMethod(z.array(z.unknown()), ({ account }) => ({ topics: [account.name] })),
  )

  return {
    methods,
    leave,
    tick(count) {
      if (count % everyTicks !== 0) return
      for (const name of audience.topics()) {
        const account = venue.state.accounts.get(name)
        const readers = audience.of(name)
        if (account && readers) post(readers, update('positionsMargin', params(venue, account)))
      }
    },
  }
}

function params({ trading }: VenueContext, account: ExchangeAccount): UpdateOf<'positionsMargin'> {
  const records = account.collateral.open.map((exposure) => {
    const position = positionView(trading, account, exposure)
    return {
      id: position.id,
      market: position.market,
      ctime: position.openedAt / 1000,
      mtime: position.changedAt / 1000,
      amount: position.amount,
      amount_in_money: position.cost,
      base_price: position.basePrice,
      pnl: position.pnl,
      liq_price: position.liquidationPrice,
      liq_stage: position.called ? 'margin_call' : null,
      unrealized_funding: '0',
      funding: '0',
      margin: position.margin,
      free_margin: position.freeMargin,
      realized_pnl: position.realised,
      position_side: position.side,
    }
  })
  return { total: records.length, records }
}

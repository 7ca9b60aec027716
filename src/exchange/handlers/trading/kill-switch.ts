import type { AnswerOf } from '#src/venues/whitebit/contract/endpoint.ts'
import type { Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { orderKinds } from '#src/venues/whitebit/contract/trading/order-changes.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { armSwitch } from '#src/exchange/trading/orders/kill-switches.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import type { KillSwitch } from '#src/exchange/trading/records.ts'
import { RefusedCall, type Handler } from '#src/exchange/venue-context.ts'
import { marketOf } from './order-changes.ts'

type Shown = AnswerOf<Contract['killSwitches']>[number]

export const killSwitch: Handler<'killSwitch'> = ({ venue, account, parameters, now }) => {
  const { timeout, types } = parameters
  const market = marketOf(venue, parameters.market)
  if (market instanceof RefusedCall) return market
  if (timeout === null) {
    account.killSwitches.delete(market.number)
    return []
  }
  const armed = { kinds: types ?? [...orderKinds], startedAt: now, dueAt: now + Number(timeout) * 1000 }
  armSwitch(venue.state, account, market, armed)
  return shown(market, armed)
}

export const killSwitches: Handler<'killSwitches'> = ({ venue, account, parameters }) => {
  const only = parameters.market === undefined ? undefined : marketOf(venue, parameters.market)
  if (only instanceof RefusedCall) return only
  return venue.trading.markets.flatMap((market) => {
    const armed = account.killSwitches.get(market.number)
    return armed && (only === undefined || only === market) ? [shown(market, armed)] : []
  })
}

function shown(market: Market, { startedAt, dueAt, kinds }: KillSwitch): Shown {
  return {
    market: market.name,
    startTime: seconds(startedAt),
    cancellationTime: seconds(dueAt),
    types: [...kinds],
  }
}

import { refusedInside } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { refusedField } from '#src/exchange/handlers/refused-field.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { formatAtoms } from '#src/core/money/atoms.ts'
import { averagePrice, positionView } from '#src/exchange/ledger/account-views.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { rateText } from '#src/exchange/trading/positions/funding.ts'
import { notPlaced } from '#src/exchange/trading/orders/order-refusal.ts'
import { flag, positionSides } from '#src/exchange/trading/book/order-columns.ts'
import { plainDraft } from '#src/exchange/trading/orders/order-draft.ts'
import { place, takerBand } from '#src/exchange/trading/orders/order-matching.ts'
import { eventAt, newestEvents } from '#src/exchange/trading/positions/position-events.ts'
import { react } from '#src/exchange/trading/positions/price-reactions.ts'
import { isTakeProfit } from '#src/exchange/trading/orders/attached-exits.ts'
import { bucketOf } from '#src/exchange/trading/positions/exposure.ts'
import type { Exposure, Trigger } from '#src/exchange/trading/records.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { RefusedCall, type Handler, type VenueContext } from '#src/exchange/venue-context.ts'
import { marketOf } from './order-changes.ts'

export const openPositions: Handler<'openPositions'> = ({ venue, account, parameters }) => {
  const only = parameters.market === undefined ? undefined : marketOf(venue, parameters.market)
  if (only instanceof RefusedCall) return only
  return account.collateral.open
    .filter(({ market }) => only === undefined || only.number === market)
    .map((exposure) => {
      const position = positionView(venue.trading, account, exposure)
      return {
        positionId: position.id,
        market: position.market,
        openDate: position.openedAt / 1000,
        modifyDate: position.changedAt / 1000,
        amount: position.amount,
        basePrice: position.basePrice,
        liquidationPrice: position.liquidationPrice,
        liquidationState: position.called ? ('margin_call' as const) : null,
        pnl: position.pnl,
        pnlPercent: position.pnlPercent,
        unrealizedPnl: position.pnl,
        margin: position.margin,
        freeMargin: position.freeMargin,
        funding: '0',
        unrealizedFunding: '0',
        tpsl: exitsOfPosition(venue, account, exposure),
        positionSide: position.side,
      }
    })
}

/** The oldest exits that wait to close the position. */
function exitsOfPosition({ state, trading }: VenueContext, account: Trader, exposure: Exposure) {
  const waiting = state.triggers.filter(
    ({ oto, account: owner, market, draft }) =>
      oto !== undefined &&
      owner === account.number &&
      market === exposure.market &&
      bucketOf(account, draft.positionSide) === exposure.bucket,
  )
  const exits = waiting.filter(({ oto }) => oto === waiting[0]?.oto)
  const market = trading.markets[exposure.market]
  if (exits.length === 0 || market === undefined) return null
  const takeProfit = exits.find(isTakeProfit)
  const stopLoss = exits.find((each) => !isTakeProfit(each))
  const text = (exit: Trigger | undefined) => (exit ? market.priceText(exit.activation) : null)
  return {
    takeProfitId: takeProfit?.id ?? null,
    takeProfit: text(takeProfit),
    stopLossId: stopLoss?.id ?? null,
    stopLoss: text(stopLoss),
  }
}

export const closePosition: Handler<'closePosition'> = ({ venue, account, parameters, now }) => {
  const market = marketOf(venue, parameters.market)
  if (market instanceof RefusedCall) return market
  const { positionId, positionSide } = parameters
  const { open, hedged } = account.collateral
  const exposure = open.find((each) => each.positionId === positionId && each.market === market.number)
  if (exposure === undefined) return refusedField(104, 'positionId', "position doesn't exist.")
  // In hedge mode the index of a bucket is the index of the side.
  const side = hedged ? exposure.bucket : positionSides.indexOf('BOTH')
  if (hedged && positionSide !== undefined && positionSides.indexOf(positionSide) !== side) {
    return refusedField(114, 'positionSide', 'Hedge mode position side does not match')
  }
  const draft = {
    ...plainDraft,
    sells: exposure.lots > 0,
    positionSide: side,
    ticks: takerBand(venue.trading, market, exposure.lots > 0),
    lots: Math.abs(exposure.lots),
    flags: flag.market | flag.reduceOnly,
  }
  const placed = place(venue.trading, market, account, draft, now)
  if (typeof placed === 'string') {
    const { finerCode, errors } = notPlaced(placed, draft.flags)
    return new RefusedCall(refusedInside(finerCode, errors))
  }
  react(venue.trading, now)
  return []
}

export const positionHistory: Handler<'positionHistory'> = ({ venue, account, parameters }) => {
  const { positionId, startDate = 0, endDate = Infinity } = parameters
  const { limit, offset } = pageOf(contract.positionHistory, parameters)
  const only = parameters.market === undefined ? undefined : marketOf(venue, parameters.market)
  if (only instanceof RefusedCall) return only
  const { finished, positionEvents } = account
  const liquidations = new Set(
    finished.clientId.flatMap((id, place) => (id.startsWith('liquidation_') ? [finished.id[place]] : [])),
  )
  const page = []
  let passed = 0
  for (const place of newestEvents(positionEvents)) {
    if (page.length === limit) break
    const event = eventAt(positionEvents, place)
    const market = venue.trading.markets[event.market]
    const at = seconds(event.at)
    if (market === undefined || (only ?? market) !== market || at < startDate || at > endDate) continue
    if (positionId !== undefined && event.position !== positionId) continue
    passed += 1
    if (passed <= offset) continue
    // A fill that closed a long position is a sell.
    const long = event.lots === 0 ? event.sells : event.lots > 0
    page.push({
      positionId: event.position,
      market: market.name,
      openDate: event.openedAt / 1000,
      modifyDate: event.at / 1000,
      amount: event.lots < 0 ? `-${market.amountText(-event.lots)}` : market.amountText(event.lots),
      basePrice: event.lots === 0 ? '0' : averagePrice(market, event.lots, event.cost),
      realizedFunding: formatAtoms(event.funding),
      liquidationPrice: null,
      liquidationState: event.order === 0 || liquidations.has(event.order) ? ('liquidation' as const) : null,
      orderDetail: {
        id: event.order,
        tradeAmount: market.amountText(event.traded),
        price: market.priceText(event.ticks),
        tradeFee: formatAtoms(event.fee),
        fundingFee: null,
        realizedPnl: formatAtoms(event.realised),
      },
      side: long ? ('LONG' as const) : ('SHORT' as const),
      isHedge: event.hedged,
    })
  }
  return page
}

export const fundingHistory: Handler<'fundingHistory'> = ({ venue, account, parameters }) => {
  const { startDate = 0, endDate = Infinity } = parameters
  const { limit, offset } = pageOf(contract.fundingHistory, parameters)
  const market = marketOf(venue, parameters.market)
  if (market instanceof RefusedCall) return market
  const records = account.fundingPayments
    .filter(
      (each) => each.market === market.number && seconds(each.at) >= startDate && seconds(each.at) <= endDate,
    )
    .reverse()
    .slice(offset, offset + limit)
    .map(({ at, rate, ticks, lots, amount }) => ({
      market: market.name,
      fundingTime: String(seconds(at)),
      fundingRate: rateText(rate),
      fundingAmount: formatAtoms(amount),
      positionAmount: lots < 0 ? `-${market.amountText(-lots)}` : market.amountText(lots),
      settlementPrice: market.priceText(ticks),
      rateCalculatedTime: String(seconds(at)),
    }))
  return { records, limit, offset }
}

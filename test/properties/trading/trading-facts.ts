import { balanceOf } from '#src/exchange/ledger/ledger.ts'
import { matchable } from '#src/exchange/trading/book/book.ts'
import type { Trading } from '#src/exchange/trading/trading-context.ts'
import { factsAt } from '#src/exchange/trading/orders/order-history.ts'
import { flag, has, restingRows } from '#src/exchange/trading/book/order-columns.ts'
import { marginInUse } from '#src/exchange/trading/positions/fill-settlement.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'
import { marginOf, reservedOf, spotHeld } from '#test/properties/models/naive-margin.ts'
import { queue } from '#test/properties/models/naive-matching.ts'
import type { NaiveAccount, NaiveVenue } from '#test/properties/models/naive-records.ts'

/**
 * The facts about trading at one moment, as lines: the exchange and the model must have the same. Only the last `tail`
 * finished orders and deals are included, because earlier ones were compared before.
 */
type Assets = { assets: readonly string[]; tail: number }

const usual = { assets: ['USDT', 'EUR', 'SOL', 'BTC'], tail: 12 }
export const everything = { ...usual, tail: Infinity }

export function factsOfExchange(trading: Trading, { assets, tail }: Assets = usual): string[] {
  const { state, markets } = trading
  const { ledger, orders } = state
  const lines = assets.map((asset) => {
    const [fees, insurance, house] = (['fees', 'insurance', 'house'] as const).map((holder) =>
      balanceOf(ledger, holder, asset),
    )
    return `${asset}: fees ${fees}, insurance ${insurance}, house ${house}`
  })
  for (const market of markets) {
    const { book, last = 0, mark = 0 } = state.markets[market.number] ?? {}
    const tick = 10n ** BigInt(18 - market.rules.priceDigits)
    const [asks, bids] = [true, false].map((sells) =>
      book === undefined ? [] : Array.from(matchable(book, orders, sells, 0), (row) => orders.id[row]),
    )
    lines.push(
      `${market.name}: last ${BigInt(last) * tick}, mark ${BigInt(mark) * tick}, bids ${bids?.join()}, asks ${asks?.join()}`,
    )
  }
  lines.push(
    `trades ${state.trades}, waiting ${state.triggers.map(({ id, other }) => `${id}/${other}`).join()}`,
  )
  for (const trader of trading.accounts) lines.push(...factsOfTrader(trading, trader, { assets, tail }))
  return lines
}

function factsOfTrader(trading: Trading, trader: Trader, { assets, tail }: Assets): string[] {
  const { ledger, orders } = trading.state
  const { name, wallets, collateral, finished, deals, usedIds } = trader
  const lines: string[] = []
  const scale = trading.markets.map(({ rules }) => ({
    tick: 10n ** BigInt(18 - rules.priceDigits),
    lot: 10n ** BigInt(18 - rules.amountDigits),
    quantum: 10n ** BigInt(18 - rules.priceDigits - rules.amountDigits),
  }))
  const nameOf = (market: number | undefined) => trading.markets[market ?? -1]?.name
  const of = (market: number | undefined, unit: 'tick' | 'lot' | 'quantum', count: number | undefined) =>
    BigInt(count ?? 0) * (scale[market ?? -1]?.[unit] ?? 0n)
  if (!trader.house) {
    for (const asset of assets) {
      const { reserved, margin } = marginInUse(trading, trader, asset)
      lines.push(
        `${name} ${asset}: ${balanceOf(ledger, wallets.collateral, asset)}, owes ${collateral.owed.get(asset) ?? 0n}, ` +
          `reserved ${reserved}, margin ${margin}, spot ${balanceOf(ledger, wallets.spot, asset)}, ` +
          `held ${trader.spotHeld.get(asset) ?? 0n}`,
      )
    }
  }
  for (const { market, bucket, lots, cost, realised, funding } of collateral.open) {
    const amount = of(market, 'lot', lots)
    lines.push(
      `${name} ${nameOf(market)}/${bucket}: ${amount} for ${cost}, realised ${realised}, funding ${funding}`,
    )
  }
  for (const row of restingRows(orders, trader)) {
    const market = orders.market[row]
    const side = orders.sells[row] === 1 ? 'sell' : 'buy'
    const [left, amount] = [orders.left[row], orders.lots[row]].map((lots) => of(market, 'lot', lots))
    lines.push(
      `${name} rests ${orders.id[row]} ${orders.clientId[row]} ${nameOf(market)} ${side} ${left} of ${amount} ` +
        `at ${of(market, 'tick', orders.ticks[row])}, ${of(market, 'quantum', orders.quanta[row])}, ` +
        `linked ${has(orders, row, flag.linked)}`,
    )
  }
  const used = usedIds.ids.filter((id) => id !== '')
  lines.push(`${name} ended ${finished.count}, dealt ${deals.count}, used ${used.toSorted().join()}`)
  for (let place = Math.max(0, finished.count - tail); place < finished.count; place++) {
    const { id, clientId, market, sells, lots, left, ticks, quanta, taken, status } = factsAt(finished, place)
    lines.push(
      `${name} ended ${id} ${clientId} ${status} ${nameOf(market)} ${sells ? 'sell' : 'buy'} ${of(market, 'lot', left)} ` +
        `of ${of(market, 'lot', lots)} at ${of(market, 'tick', ticks)}, ${of(market, 'quantum', quanta)}, ` +
        `fee ${trading.markets[market]?.fee({ quanta, taken, tier: 0 })}`,
    )
  }
  for (let place = Math.max(0, deals.count - tail); place < deals.count; place++) {
    const market = deals.market[place]
    lines.push(
      `${name} deal ${deals.id[place]} of ${deals.order[place]} with ${deals.other[place]} ${nameOf(market)} ` +
        `${deals.sells[place] === 1 ? 'sell' : 'buy'} ${of(market, 'lot', deals.lots[place])} at ` +
        `${of(market, 'tick', deals.ticks[place])}, ${deals.taker[place] === 1 ? 'taker' : 'maker'}, ` +
        `rpi ${deals.rpi[place] === 1}`,
    )
  }
  return lines
}

export function factsOfModel(venue: NaiveVenue, { assets, tail }: Assets = usual): string[] {
  const { fees, insurance, house, last, mark, waiting } = venue
  const lines = assets.map(
    (asset) =>
      `${asset}: fees ${fees[asset] ?? 0n}, insurance ${insurance[asset] ?? 0n}, house ${house[asset] ?? 0n}`,
  )
  for (const market of Object.keys(venue.rules)) {
    const [bids, asks] = (['buy', 'sell'] as const).map((side) =>
      queue(venue, market, side)
        .map(({ id }) => id)
        .join(),
    )
    lines.push(
      `${market}: last ${last[market] ?? 0n}, mark ${mark[market] ?? 0n}, bids ${bids}, asks ${asks}`,
    )
  }
  lines.push(`trades ${venue.trades}, waiting ${waiting.map(({ id, other }) => `${id}/${other}`).join()}`)
  for (const account of venue.accounts) lines.push(...factsOfAccount(venue, account, { assets, tail }))
  return lines
}

function factsOfAccount(venue: NaiveVenue, account: NaiveAccount, { assets, tail }: Assets): string[] {
  const { name, house, collateral, owed, spot, ended, deals } = account
  const lines: string[] = []
  for (const asset of house ? [] : assets) {
    lines.push(
      `${name} ${asset}: ${collateral[asset] ?? 0n}, owes ${owed[asset] ?? 0n}, ` +
        `reserved ${reservedOf(venue, account, asset)}, margin ${marginOf(venue, account, asset)}, ` +
        `spot ${spot[asset] ?? 0n}, held ${spotHeld(venue, account, asset)}`,
    )
  }
  for (const { market, bucket, amount, cost, realised, funding } of account.positions) {
    lines.push(`${name} ${market}/${bucket}: ${amount} for ${cost}, realised ${realised}, funding ${funding}`)
  }
  for (const order of venue.resting.filter((each) => each.account === account)) {
    const { id, clientId, market, side, left, amount, price, money, linked } = order
    lines.push(
      `${name} rests ${id} ${clientId} ${market} ${side} ${left} of ${amount} at ${price}, ${money}, linked ${linked}`,
    )
  }
  const used = [...account.usedIds].toSorted().join()
  lines.push(`${name} ended ${ended.length}, dealt ${deals.length}, used ${used}`)
  for (const { id, clientId, status, market, side, left, amount, price, money, fee } of ended.slice(-tail)) {
    lines.push(
      `${name} ended ${id} ${clientId} ${status} ${market} ${side} ${left} of ${amount} at ${price}, ${money}, fee ${fee}`,
    )
  }
  for (const deal of deals.slice(-tail)) {
    const { trade, order, other, market, side, amount, price, taker, rpi } = deal
    lines.push(
      `${name} deal ${trade} of ${order} with ${other} ${market} ${side} ${amount} at ${price}, ` +
        `${taker ? 'taker' : 'maker'}, rpi ${rpi}`,
    )
  }
  return lines
}

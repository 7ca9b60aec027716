import { balanceOf, imbalances } from '#src/exchange/ledger/ledger.ts'
import type { OrderBook } from '#src/exchange/trading/book/book.ts'
import { closable } from '#src/exchange/trading/positions/exposure.ts'
import { bookOf, type Trading } from '#src/exchange/trading/trading-context.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { flag, has, statusOf } from '#src/exchange/trading/book/order-columns.ts'
import type { Exposure } from '#src/exchange/trading/records.ts'
import { spotHold } from '#src/exchange/trading/positions/fill-settlement.ts'
import type { Trader } from '#src/exchange/trading/trader.ts'

/** Invariants of any state, independent of the model. Returns the violated ones as sentences. */
export function broken(trading: Trading): string[] {
  const found: string[] = []
  const must = (holds: boolean, text: () => string) => {
    if (!holds) found.push(text())
  }
  checkMoney(trading, must)
  const resting = new Set<number>()
  for (const market of trading.markets) checkBook(trading, market, resting, must)
  for (const trader of trading.accounts) checkTrader(trading, trader, must)
  checkRows(trading, resting, must)
  return found
}

type Must = (holds: boolean, text: () => string) => void

/**
 * No money appears or vanishes; the clearing book is exactly the counterparty of all open positions, and of the debts of
 * accounts where it advances them.
 */
function checkMoney(trading: Trading, must: Must): void {
  const { ledger } = trading.state
  for (const [asset, sum] of imbalances(ledger)) must(false, () => `${sum} of ${asset} came from nowhere`)
  for (const [holder, assets] of ledger) {
    if (!holder.includes('/')) continue
    for (const [asset, amount] of assets) must(amount >= 0n, () => `${holder} has ${amount} of ${asset}`)
  }
  const expected = new Map<string, bigint>()
  const add = (asset: string, amount: bigint) => expected.set(asset, (expected.get(asset) ?? 0n) + amount)
  if (trading.deleverages) {
    for (const { collateral } of trading.accounts)
      for (const [asset, amount] of collateral.owed) add(asset, -amount)
  }
  for (const { number, name, lotAtoms, rules } of trading.markets) {
    let lots = 0
    for (const { collateral } of trading.accounts) {
      for (const exposure of collateral.open) {
        if (exposure.market !== number) continue
        lots += exposure.lots
        add(rules.money, exposure.lots > 0 ? -exposure.cost : exposure.cost)
      }
    }
    must(rules.kind === 'spot' || lots === 0, () => `in ${name} ${lots} lots have no other side`)
    // The base asset that a spot account sold to a position stays there until another account buys it from a position.
    add(rules.base, BigInt(lots) * lotAtoms)
  }
  for (const [asset, amount] of expected) {
    const held = balanceOf(ledger, 'clearing', asset)
    must(held === amount, () => `clearing holds ${held} of ${asset}, not ${amount}`)
  }
}

/** Queues and levels, best price first; no two resting orders could trade with each other. */
function checkBook(trading: Trading, market: Market, resting: Set<number>, must: Must): void {
  const { orders } = trading.state
  const book = bookOf(trading, market)
  const { levels } = book
  const found = new Set<number>()
  for (const sells of [false, true]) {
    const { prices, levelAt } = sells ? book.asks : book.bids
    must(
      levelAt.size === prices.length,
      () => `${market.name} has ${levelAt.size} levels of ${prices.length} prices`,
    )
    for (const [index, ticks] of prices.entries()) {
      const next = prices[index + 1]
      must(
        next === undefined || (sells ? ticks > next : ticks < next),
        () => `${market.name}: ${prices.join()} is unsorted`,
      )
      const level = levelAt.get(ticks) ?? 0
      must(
        level !== 0 && levels.ticks[level] === ticks,
        () => `${market.name}: ${ticks} has the level of another price`,
      )
      found.add(level)
      let shown = 0
      let count = 0
      for (const hidden of [false, true]) {
        let before = 0
        const first = (hidden ? levels.rpiFirst : levels.openFirst)[level] ?? 0
        for (let row = first; row !== 0; row = orders.behind[row] ?? 0) {
          must(!resting.has(row), () => `row ${row} rests twice`)
          resting.add(row)
          count += 1
          const left = orders.left[row] ?? 0
          if (!hidden) shown += left
          must(left > 0 && left <= (orders.lots[row] ?? 0), () => `row ${row} has ${left} left`)
          must(
            Number.isSafeInteger((orders.quanta[row] ?? 0) + left * ticks),
            () => `row ${row} is too large`,
          )
          must(
            orders.level[row] === level &&
              orders.before[row] === before &&
              orders.ticks[row] === ticks &&
              orders.market[row] === market.number &&
              (orders.sells[row] === 1) === sells &&
              has(orders, row, flag.rpi) === hidden &&
              statusOf(orders, row) === 'OPEN',
            () => `row ${row} does not belong where it rests`,
          )
          before = row
        }
        must(
          (hidden ? levels.rpiLast : levels.openLast)[level] === before,
          () => `level ${level} ends elsewhere`,
        )
      }
      must(count > 0, () => `${market.name}: nobody rests at ${ticks}`)
      must(
        levels.shown[level] === shown,
        () => `${market.name}: ${levels.shown[level]} shown at ${ticks}, not ${shown}`,
      )
    }
  }
  checkLevels(market, book, found, must)
  const [bid, ask] = [book.bids.prices.at(-1), book.asks.prices.at(-1)]
  must(
    bid === undefined || ask === undefined || bid < ask,
    () => `${market.name} is crossed: ${bid} and ${ask}`,
  )
}

function checkLevels(market: Market, { levels }: OrderBook, found: ReadonlySet<number>, must: Must): void {
  let free = 0
  for (let level = levels.freed; level !== 0; level = levels.openFirst[level] ?? 0) {
    free += 1
    must(!found.has(level), () => `${market.name}: level ${level} is free and in the book`)
    if (free > levels.used) break
  }
  must(
    found.size + free + 1 === levels.used,
    () => `${market.name}: ${levels.used} levels are not accounted for`,
  )
}

/** The account's list, sums and reserves equal those of its orders and positions. */
function checkTrader(trading: Trading, trader: Trader, must: Must): void {
  const { orders } = trading.state
  const { name, collateral, spotHeld } = trader
  const sums = collateral.exposures.map(() => ({ buys: [0, 0], sells: [0, 0], reducing: 0 }))
  const held = new Map<string, bigint>()
  let older = 0
  for (let row = trader.oldest; row !== 0; row = orders.newer[row] ?? 0) {
    must(orders.account[row] === trader.number, () => `${name} has row ${row} of ${orders.account[row]}`)
    must(
      orders.older[row] === older && orders.level[row] !== 0,
      () => `${name}: row ${row} is out of its chain`,
    )
    older = row
    const market = trading.markets[orders.market[row] ?? 0]
    if (market === undefined) continue
    const sells = orders.sells[row] === 1
    const [left = 0, ticks = 0] = [orders.left[row], orders.ticks[row]]
    if (has(orders, row, flag.spot)) {
      if (trader.house) continue
      const asset = sells ? market.rules.base : market.rules.money
      held.set(asset, (held.get(asset) ?? 0n) + spotHold(market, sells, left, ticks))
      continue
    }
    const place = 2 * market.number + (collateral.hedged && orders.positionSide[row] === 1 ? 1 : 0)
    const sum = sums[place]
    const exposure = collateral.exposures[place]
    if (sum === undefined || exposure === undefined) continue
    if (has(orders, row, flag.reduceOnly)) {
      sum.reducing += 1
      must(closable(exposure, sells) > 0, () => `${name}: row ${row} can reduce nothing`)
    } else if (!trader.house) {
      const side = sells ? sum.sells : sum.buys
      side[0] = (side[0] ?? 0) + left
      side[1] = (side[1] ?? 0) + left * ticks
    }
  }
  must(trader.newest === older, () => `${name}: the chain ends at ${older}, not at ${trader.newest}`)
  for (const [place, exposure] of collateral.exposures.entries()) {
    if (exposure === undefined) continue
    const { buys, sells, reducing } = exposure
    const kept = { buys: [buys.lots, buys.quanta], sells: [sells.lots, sells.quanta], reducing }
    const [reported, summed] = [JSON.stringify(kept), JSON.stringify(sums[place])]
    must(reported === summed, () => `${name}: orders come to ${summed}, not to ${reported}`)
  }
  const open = collateral.exposures.filter((exposure): exposure is Exposure => (exposure?.lots ?? 0) !== 0)
  must(
    open.length === collateral.open.length && open.every((exposure) => collateral.open.includes(exposure)),
    () => `${name} has other positions than those that are listed as open`,
  )
  must(
    collateral.exposures.every(
      (exposure) => exposure === undefined || exposure.lots !== 0 || exposure.cost === 0n,
    ),
    () => `${name} has a cost without a position`,
  )
  for (const [asset, amount] of spotHeld) {
    must(
      (held.get(asset) ?? 0n) === amount,
      () => `${name}: spot orders hold ${held.get(asset)} ${asset}, not ${amount}`,
    )
  }
  for (const [asset, amount] of collateral.owed) {
    const standing = open.some(({ market }) => trading.markets[market]?.rules.money === asset)
    must(amount > 0n && standing, () => `${name} owes ${amount} ${asset} without a position`)
  }
}

/** Each row is resting or free. A waiting order is linked to a resting one. */
function checkRows({ state }: Trading, resting: ReadonlySet<number>, must: Must): void {
  const { orders, triggers } = state
  const free = new Set<number>()
  for (let row = orders.freed; row !== 0 && !free.has(row); row = orders.behind[row] ?? 0) {
    free.add(row)
    must(!resting.has(row), () => `row ${row} is free and rests`)
    must(statusOf(orders, row) !== 'OPEN', () => `row ${row} is free and has not ended`)
  }
  must(resting.size + free.size + 1 === orders.used, () => `${orders.used} rows are not accounted for`)
  const linked = new Set(
    [...resting].filter((row) => has(orders, row, flag.linked)).map((row) => orders.id[row]),
  )
  for (const { id, other } of triggers) {
    must(other === 0 || linked.has(other), () => `${id} waits beside ${other}, which does not rest`)
  }
  must(new Set(triggers.map(({ id }) => id)).size === triggers.length, () => 'one order waits twice')
}

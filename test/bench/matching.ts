import { deepEqual, equal } from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { Exchange } from '#src/exchange/exchange.ts'
import { emptyBook, removeFromQueue, addToQueue } from '#src/exchange/trading/book/book.ts'
import { match } from '#src/exchange/trading/book/price-time-matching.ts'
import { freeRow, noOrders, takeRow } from '#src/exchange/trading/book/order-columns.ts'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { cancelResting } from '#src/exchange/trading/orders/resting-orders.ts'
import { worldSchema } from '#src/exchange/world-file.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import { orderBook } from '#test/support/peers.ts'
import { medianOf } from './runner/median.ts'
import { note, report } from './runner/report.ts'

/**
 * P12: matching without HTTP, in operations per second: a book of ten thousand resting orders, of which one after the
 * other is canceled and comes again at another price, as makers move their quotes; one in fifty takes. Three runs of
 * one list of operations: the pure book, the whole of trading (accounts, margin, fees, positions, history), and
 * nodejs-order-book. Their trades must be the same before anything is timed.
 */
const resting = 10_000
const moves = 200_000
const rounds = 5
const middle = 600_000

/** Orders and cancels; the same for all, since all trade alike. */
let operations = 0

type Contender = {
  name: string
  /** One run over the whole list; tells its trades when `trades` is there. */
  run(trades?: string[]): void
}

/** The list, the same for all: which order moves, to which side, price and size. Order numbers are those of the list. */
const list = {
  leaves: new Int32Array(resting + moves),
  sells: new Uint8Array(resting + moves),
  ticks: new Int32Array(resting + moves),
  lots: new Int32Array(resting + moves),
}
let word = 20_261_121
/** A whole number below `limit`: xorshift, so that every run of this file compares the same. */
function draw(limit: number): number {
  word ^= word << 13
  word ^= word >>> 17
  word ^= word << 5
  return (word >>> 0) % limit
}
/** Whose place in the market each quote has taken over; a few have been filled in the meantime. */
const quotes = new Int32Array(resting)
for (let index = 0; index < resting + moves; index++) {
  const sells = draw(2)
  const takes = index >= resting && draw(50) === 0
  // Makers keep to their side of the middle; a taker reaches some ticks over it.
  const away = takes ? -draw(30) : 1 + Math.floor((draw(1000) * draw(1000)) / 2000)
  const quote = index < resting ? index : draw(resting)
  list.leaves[index] = index < resting ? -1 : (quotes[quote] ?? 0)
  quotes[quote] = index
  list.sells[index] = sells
  list.ticks[index] = middle + (sells === 1 ? away : -away)
  list.lots[index] = 1 + draw(50)
}

const ours: Contender = {
  name: 'book',
  run(trades) {
    const orders = noOrders()
    const book = emptyBook()
    const rows = new Int32Array(resting + moves)
    let canceled = 0
    const counter = {
      closable: () => 0,
      traded(maker: number, taker: number, lots: number, ticks: number) {
        trades?.push(`${orders.id[maker]} ${orders.id[taker]} ${lots} ${ticks}`)
        if (orders.left[maker] === 0) {
          rows[orders.id[maker] ?? 0] = 0
          freeRow(orders, maker)
        }
      },
      cancelled() {},
    }
    for (let index = 0; index < resting + moves; index++) {
      const gone = list.leaves[index] ?? -1
      const old = gone >= 0 ? (rows[gone] ?? 0) : 0
      if (old !== 0) {
        removeFromQueue(book, orders, old)
        freeRow(orders, old)
        rows[gone] = 0
        canceled += 1
      }
      const row = takeRow(orders)
      orders.id[row] = index
      orders.account[row] = 1 + (index % 3)
      orders.sells[row] = list.sells[index] ?? 0
      orders.ticks[row] = list.ticks[index] ?? 0
      orders.lots[row] = orders.left[row] = list.lots[index] ?? 0
      orders.quanta[row] = orders.taken[row] = 0
      match(book, orders, row, list.ticks[index] ?? 0, counter)
      if (orders.left[row] === 0) freeRow(orders, row)
      else {
        addToQueue(book, orders, row)
        rows[index] = row
      }
    }
    operations = resting + moves + canceled
  },
}

const world = readYaml(fileURLToPath(new URL('../../config/exchange.yaml', import.meta.url)), worldSchema)
for (const account of Object.values(world.accounts)) account.collateral = { USDT: 10n ** 30n }

/** Every feature of the venue, as its handlers call it: only the parsing of requests is left out. */
const whole: Contender = {
  name: 'trading',
  run(trades) {
    const { trading, markets } = new Exchange({ world, seed: 'bench', begin: 1.79e12 }).venue
    const { orders } = trading.state
    const market = markets.get('BTC_PERP')
    if (market === undefined) throw new Error('the world has BTC_PERP')
    const rows = new Int32Array(resting + moves)
    const numbers = new Map<number, number>()
    if (trades) {
      trading.listener = {
        order() {},
        deal() {},
        trade(_market, { maker, taker, lots, ticks }) {
          trades.push(
            `${numbers.get(orders.id[maker] ?? 0)} ${numbers.get(orders.id[taker] ?? -1)} ${lots} ${ticks}`,
          )
        },
      }
    }
    const ids = new Float64Array(resting + moves)
    for (let index = 0; index < resting + moves; index++) {
      const gone = list.leaves[index] ?? -1
      const old = gone >= 0 ? (rows[gone] ?? 0) : 0
      // A row may be another order's by now: the id tells.
      if (old !== 0 && orders.id[old] === ids[gone] && orders.level[old] !== 0) {
        cancelResting(trading, old, 'CANCELED', 1.79e12)
      }
      const account = trading.accounts[index % 3]
      if (account === undefined) throw new Error('the world has three accounts')
      // The next id, told before the order comes, so that its trades can be named.
      if (trades) numbers.set(account.number * 1_000_000_000_000 + account.nextOrder, index)
      const draft = {
        clientId: '',
        sells: list.sells[index] === 1,
        positionSide: 0,
        selfTrade: 0,
        ticks: list.ticks[index] ?? 0,
        lots: list.lots[index] ?? 0,
        flags: 0,
      }
      const row = place(trading, market, account, draft, 1.79e12)
      if (typeof row === 'string') throw new Error(row)
      rows[index] = row
      ids[index] = orders.id[row] ?? 0
    }
  },
}

const { OrderBook } = orderBook()
const theirs: Contender = {
  name: 'nodejs-order-book',
  run(trades) {
    const book = new OrderBook()
    for (let index = 0; index < resting + moves; index++) {
      const gone = list.leaves[index] ?? -1
      if (gone >= 0 && book.order(String(gone)) !== undefined) book.cancel(String(gone))
      const size = list.lots[index] ?? 0
      const { done, partial, partialQuantityProcessed, err } = book.limit({
        id: String(index),
        side: list.sells[index] === 1 ? 'sell' : 'buy',
        size,
        price: list.ticks[index] ?? 0,
      })
      if (err) throw err
      if (trades === undefined) continue
      for (const maker of done) {
        if (maker.id !== String(index)) trades.push(`${maker.id} ${index} ${maker.size} ${maker.price}`)
      }
      if (partial && partial.id !== String(index)) {
        trades.push(`${partial.id} ${index} ${partialQuantityProcessed} ${partial.price}`)
      }
    }
  },
}

const contenders = [ours, whole, theirs]
const tapes = contenders.map((contender) => {
  const trades: string[] = []
  contender.run(trades)
  return trades
})
equal((tapes[0]?.length ?? 0) > 1000, true, 'the list makes too few trades to compare')
deepEqual(tapes[1], tapes[0])
deepEqual(tapes[2], tapes[0])

const rates = contenders.map(() => [] as number[])
for (let round = 0; round < rounds; round++) {
  for (const [index, contender] of contenders.entries()) {
    const began = performance.now()
    contender.run()
    rates[index]?.push((operations * 1000) / (performance.now() - began))
  }
}
const [book = 0, trading = 0, peer = 0] = rates.map((each) => medianOf(each) / 1e6)
note(`${operations} operations, ${tapes[0]?.length} trades, ${rounds} rounds; all trade alike`)
const unit = 'M operations/s'
report({ goal: 'P12', what: 'all of trading', ours: trading, unit, atLeast: 1, wanted: 5 })
for (const [what, ours] of [
  ['the book against nodejs-order-book', book],
  ['all of trading against nodejs-order-book', trading],
] as const)
  report({ goal: 'P12', what, ours, peer, ratio: ours / peer, unit, atLeast: 5, wanted: 20 })

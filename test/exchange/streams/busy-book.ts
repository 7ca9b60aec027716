import type { Chance } from '#test/fuzz/chance.ts'
import type { Exchange } from '#src/exchange/exchange.ts'
import { bookOf } from '#src/exchange/trading/trading-context.ts'
import { flag, has, restingRows } from '#src/exchange/trading/book/order-columns.ts'
import { place } from '#src/exchange/trading/orders/order-matching.ts'
import { cancelResting } from '#src/exchange/trading/orders/resting-orders.ts'

const restingMost = 400
/** Largest distance of orders from the middle, in ticks. */
const reach = 80

/** One market in which a house account places, takes and cancels orders at random. */
export function busyBook({ venue: { trading } }: Exchange, name: string, chance: Chance) {
  const market = trading.markets.find((each) => each.name === name)
  const [trader] = trading.state.houses
  if (market === undefined || trader === undefined) throw new RangeError(`nobody trades ${name}`)
  const book = bookOf(trading, market)
  let middle = 6000
  let now = trading.state.at

  const step = (): void => {
    const { orders } = trading.state
    const resting = [...restingRows(orders, trader)]
    middle += chance.below(3) - 1
    if (resting.length > restingMost || (resting.length > 0 && chance.percent(35))) {
      cancelResting(trading, chance.oneOf(resting), 'CANCELED', now)
      return
    }
    const sells = chance.percent(50)
    const kind = chance.below(100)
    const away = chance.below(reach) - 4
    const draft = {
      clientId: '',
      sells,
      positionSide: 2,
      selfTrade: 0,
      ticks: kind < 3 ? 1 + chance.below(12_000) : middle + (sells ? away : -away),
      lots: 1 + chance.below(50),
      flags: kind < 10 ? flag.ioc : kind < 20 ? flag.rpi : 0,
    }
    place(trading, market, trader, draft, now)
  }

  return {
    book,
    pass(ms: number): void {
      now += ms
    },
    now: () => now,
    step,
    /** The public levels of a side, computed from the orders themselves. */
    shown(sells: boolean, limit: number, joining: number): [number, number][] {
      const { orders } = trading.state
      const levels = new Map<number, number>()
      for (const row of restingRows(orders, trader)) {
        if ((orders.sells[row] === 1) !== sells || has(orders, row, flag.rpi)) continue
        const exact = (orders.ticks[row] ?? 0) / joining
        const price = (sells ? Math.ceil(exact) : Math.floor(exact)) * joining
        levels.set(price, (levels.get(price) ?? 0) + (orders.left[row] ?? 0))
      }
      const best = [...levels].filter(([price]) => price > 0)
      return best.sort(([one], [other]) => (sells ? one - other : other - one)).slice(0, limit)
    },
  }
}

import { addBar, lengths, noBars, type Bars } from '#src/exchange/trades/bars.ts'
import { dayMs, hourMs } from '#src/exchange/time-units.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { normal, chanceOf, uniform, type RandomState } from './random.ts'
import { alone, homePull, shapeOfDay, shared, stepMs, stepSize } from './price-walk.ts'

/**
 * The history of a simulated market before the start of its world: more than a year of candles. It follows from the
 * seed alone, so it is not part of the state; it is computed at the first request. The walk runs backwards from the
 * start price; since it is pulled towards that price, it looks the same in both directions.
 */

/** Length of the bars for candles of each age. */
const ages = [
  { length: 1, untilMs: 8 * dayMs },
  { length: 2, untilMs: 30 * dayMs },
  { length: 3, untilMs: 401 * dayMs },
] as const
const pointsPerBar = 8
/** Factor for the volatility states and jumps, which this walk leaves out. */
const restless = 1.6
/** Traded value per second, on average, in minimum order sizes. */
const worthPerSecond = 150

/** The history of each market; empty if prices are not simulated. */
export function simulatedHistories(state: ExchangeState): (market: Market) => Bars {
  const known = new Map<number, Bars>()
  return (market) => {
    const past = known.get(market.number) ?? simulatedHistoryOf(state, market)
    known.set(market.number, past)
    return past
  }
}

function simulatedHistoryOf({ seed, flow: simulation }: ExchangeState, market: Market): Bars {
  const bars = noBars()
  const stand = simulation?.stands.find((each) => each.market === market.number)
  const home = simulation?.indexes[stand?.index ?? -1]?.walk?.home
  if (simulation === undefined || home === undefined) return bars
  const { base, priceDigits } = market.rules
  let ticksPerCoin = 1
  for (let digits = 0; digits < priceDigits; digits++) ticksPerCoin *= 10
  const path = {
    home,
    price: home,
    chance: chanceOf(seed, `past ${base}`),
    tide: chanceOf(seed, 'past tide'),
  }
  const trading = chanceOf(seed, `past of ${market.name}`)
  const adding: (() => void)[] = []
  let end = simulation.beganAt
  for (const { length, untilMs } of ages) {
    const { ms } = lengths[length]
    // On a full hour, so that the bars of all lengths begin together.
    const oldest = simulation.beganAt - (simulation.beganAt % hourMs) - untilMs
    while (end > oldest) {
      const start = end - 1 - ((end - 1) % ms)
      const shape = shapeOfDay(start)
      const ticks = walkBack(path, end - start, shape).map((price) =>
        Math.max(1, Math.round(price * ticksPerCoin)),
      )
      const quanta =
        shape * (0.5 + uniform(trading)) * worthPerSecond * market.minQuanta * ((end - start) / 1000)
      adding.push(() => addBar(bars, length, barOf(start, ticks, quanta)))
      end = start
    }
  }
  for (const add of adding.reverse()) add()
  return bars
}

type Path = { home: number; price: number; chance: RandomState; tide: RandomState }

/** The prices of a bar, last price first; the path continues from its open. */
function walkBack(path: Path, ms: number, shape: number): number[] {
  const steps = ms / stepMs / pointsPerBar
  // A square root, like a quotient, has the same bits on every machine.
  const size = stepSize * restless * shape * Math.sqrt(steps)
  const prices = [path.price]
  for (let point = 0; point < pointsPerBar; point++) {
    const push = shared * normal(path.tide) + alone * normal(path.chance)
    path.price *= 1 + size * push - homePull * steps * (path.price / path.home - 1)
    prices.push(path.price)
  }
  return prices
}

function barOf(start: number, ticks: readonly number[], quanta: number) {
  const [close = 1] = ticks
  const open = ticks.at(-1) ?? close
  const lots = Math.max(1, Math.round((2 * quanta) / (open + close)))
  const money = (BigInt(lots) * BigInt(open + close)) / 2n
  return { start, open, close, high: Math.max(...ticks), low: Math.min(...ticks), lots: BigInt(lots), money }
}

import type { Prices } from '#src/market/candles/candle.ts'
import { addBar, lengths, noBars, type Bar, type Bars } from '#src/exchange/trades/bars.ts'
import { dayMs, hourMs } from '#src/exchange/time-units.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { chanceOf, uniform, type RandomState } from './random.ts'
import {
  beginVolatility,
  changeOf,
  moveOf,
  moveVolatility,
  shapeOfDay,
  stepSizesOf,
  volatilityDefault,
  type MarketVolatility,
  type StepSizes,
  type Walk,
} from './price-walk.ts'

/**
 * The history of a simulated market before the start of its world: more than a year of candles. It follows from the
 * seed alone, so it is not part of the state; it is computed at the first request. The price walk looks the same in both
 * directions of time, so the history is the same walk, run backwards from the start price and the start volatility.
 */

/** Length of the bars for candles of each age. */
const ages = [
  { length: 1, untilMs: 8 * dayMs },
  { length: 2, untilMs: 30 * dayMs },
  { length: 3, untilMs: 401 * dayMs },
] as const
const pointsPerBar = 15
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
  const running = simulation?.indexes[stand?.index ?? -1]?.walk
  if (simulation === undefined || running === undefined) return bars
  const { base, priceDigits } = market.rules
  const ticksPerCoin = 10 ** priceDigits
  const { home } = running
  const volatility = 'swing' in running ? volatilityDefault : running.volatility
  const path = {
    walk: { home, price: home, chance: chanceOf(seed, `past ${base}`), volatility },
    tide: chanceOf(seed, 'past tide'),
    volatility: beginVolatility(seed),
    sizesOf: knownStepSizes(),
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
      const ticks = walkBack(path, { start, end, ticksPerCoin })
      const activity = path.volatility.pace * (0.5 + uniform(trading))
      const quanta = activity * worthPerSecond * market.minQuanta * ((end - start) / 1000)
      adding.push(() => addBar(bars, length, barOf(start, ticks, quanta)))
      end = start
    }
  }
  for (const add of adding.reverse()) add()
  return bars
}

type Path = {
  walk: Walk
  tide: RandomState
  volatility: MarketVolatility
  sizesOf: (ms: number) => StepSizes
}

/** The prices of a bar in ticks; the path continues from its open. */
function walkBack(
  { walk, tide, volatility, sizesOf }: Path,
  { start, end, ticksPerCoin }: { start: number; end: number; ticksPerCoin: number },
): Prices {
  const shape = shapeOfDay(start)
  const sizes = sizesOf((end - start) / pointsPerBar)
  const close = ticksOf(walk.price, ticksPerCoin)
  let [open, high, low] = [close, close, close]
  for (let point = 0; point < pointsPerBar; point++) {
    moveVolatility(volatility, tide, sizes, shape)
    const common = changeOf(tide, sizes, volatility.pace)
    walk.price /= 1 + moveOf(walk, sizes, volatility.pace, common)
    open = ticksOf(walk.price, ticksPerCoin)
    high = Math.max(high, open)
    low = Math.min(low, open)
  }
  return { open, high, low, close }
}

function ticksOf(price: number, ticksPerCoin: number): number {
  return Math.max(1, Math.round(price * ticksPerCoin))
}

/** Step sizes that are computed once for a length: almost all bars of an age have the same. */
function knownStepSizes(): (ms: number) => StepSizes {
  const known = new Map<number, StepSizes>()
  return (ms) => {
    const sizes = known.get(ms) ?? stepSizesOf(ms)
    known.set(ms, sizes)
    return sizes
  }
}

function barOf(start: number, { open, close, high, low }: Prices, quanta: number): Bar {
  const lots = Math.max(1, Math.round((2 * quanta) / (open + close)))
  const money = (BigInt(lots) * BigInt(open + close)) / 2n
  return { start, open, close, high, low, lots: BigInt(lots), money }
}

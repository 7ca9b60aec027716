import { addBar, lengths, noBars, type Bars } from '#src/exchange/trades/bars.ts'
import { dayMs, hourMs } from '#src/exchange/time-units.ts'
import type { ExchangeState } from '#src/exchange/state.ts'
import type { Market } from '#src/exchange/trading/book/market.ts'
import { bell, chanceOf, unit, type RandomState } from './random.ts'
import { alone, homePull, shapeOfDay, shared, stepMs, stepSize } from './price-walk.ts'

/**
 * What a market that moves by itself looks back on when it begins: more than a year of candles, without a trade of
 * anybody. They follow from the seed alone, so they are no part of the state, and are made when somebody first asks.
 * The walk is taken backwards from the price of the begin; pulled towards it, it looks the same from either end.
 */

/** Bars as long as candles of that age are made of. */
const ages = [
  { length: 1, untilMs: 3 * dayMs },
  { length: 2, untilMs: 30 * dayMs },
  { length: 3, untilMs: 401 * dayMs },
] as const
const pointsPerBar = 8
/** So much farther than by its ordinary steps the price comes by the moods and jumps that are left out here. */
const restless = 1.6
/** What trades in a second, on average, in smallest orders of the market. */
const worthPerSecond = 150

/** The past of each market; empty where prices do not move by themselves. */
export function pastsOf(state: ExchangeState): (market: Market) => Bars {
  const known = new Map<number, Bars>()
  return (market) => {
    const past = known.get(market.number) ?? pastOf(state, market)
    known.set(market.number, past)
    return past
  }
}

function pastOf({ seed, flow }: ExchangeState, market: Market): Bars {
  const bars = noBars()
  const stand = flow?.stands.find((each) => each.market === market.number)
  const home = flow?.indexes[stand?.index ?? -1]?.walk?.home
  if (flow === undefined || home === undefined) return bars
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
  let end = flow.beganAt
  for (const { length, untilMs } of ages) {
    const { ms } = lengths[length]
    // From a full hour on, so that no bar is older in one part than in the other.
    const oldest = flow.beganAt - (flow.beganAt % hourMs) - untilMs
    while (end > oldest) {
      const start = end - 1 - ((end - 1) % ms)
      const shape = shapeOfDay(start)
      const ticks = walkBack(path, end - start, shape).map((price) =>
        Math.max(1, Math.round(price * ticksPerCoin)),
      )
      const quanta =
        shape * (0.5 + unit(trading)) * worthPerSecond * market.minQuanta * ((end - start) / 1000)
      adding.push(() => addBar(bars, length, barOf(start, ticks, quanta)))
      end = start
    }
  }
  for (const add of adding.reverse()) add()
  return bars
}

type Path = { home: number; price: number; chance: RandomState; tide: RandomState }

/** The prices of a bar, the last one first; the path goes on from where it opened. */
function walkBack(path: Path, ms: number, shape: number): number[] {
  const steps = ms / stepMs / pointsPerBar
  // A root, like a quotient, has the same bits on every machine.
  const size = stepSize * restless * shape * Math.sqrt(steps)
  const prices = [path.price]
  for (let point = 0; point < pointsPerBar; point++) {
    const push = shared * bell(path.tide) + alone * bell(path.chance)
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

import { usage } from '#src/cli/words/usage.ts'
import { Exchange } from '#src/exchange/exchange.ts'
import {
  blockPoints,
  type PointBlock,
  type HistoricalMarket,
  type FileFindings,
} from '#src/market/data/historical-market.ts'
import { emptySeen, extremesOf } from '#src/market/data/points.ts'
import { hintOf } from '#src/core/yaml/suggestion.ts'
import { readWorld } from '#src/cli/files/packaged-world.ts'

/** All simulated markets start at this time, so that two with the same seed are in step: a Monday at midnight, UTC. */
const begin = 1_767_571_200_000
const hourMs = 3_600_000

/** The trades of a simulated market of the embedded exchange, without other participants. */
export function seededMarket(name: string, { seed, ms }: { seed: string; ms: number }): HistoricalMarket {
  const world = readWorld()
  const rules = Object.hasOwn(world.markets, name) ? world.markets[name] : undefined
  if (rules === undefined) {
    const names = Object.keys(world.markets)
    const fix = hintOf(name, names) ?? `Use one of ${names.join(', ')}`
    throw usage(`"${name.slice(0, 40)}" is not a market`, fix)
  }
  const market: HistoricalMarket = {
    name,
    print: `seeded ${seed}`,
    kind: 'trades',
    barMs: undefined,
    beginsAt: begin,
    *blocks() {
      const exchange = new Exchange({
        world: { ...world, markets: { [name]: rules } },
        seed,
        begin,
        sources: { seeded: true },
      })
      const { priceDigits, amountDigits } = rules
      const [perTick, perLot] = [10 ** (9 - priceDigits), 10 ** (9 - amountDigits)]
      const heard = { at: [] as number[], units: [] as number[], amounts: [] as number[] }
      exchange.venue.trading.listener = {
        trade(_, { at, ticks, lots }) {
          heard.at.push(at)
          heard.units.push(ticks * perTick)
          heard.amounts.push(lots * perLot)
        },
        order() {},
        deal() {},
      }
      const seen = emptySeen()
      for (let at = begin + hourMs; at < begin + ms + hourMs; at += hourMs) {
        exchange.advance(Math.min(at, begin + ms) - 1)
        while (heard.at.length > 0) {
          const block = blockOf(heard, seen)
          if (seen.points === block.count) market.beginsAt = block.at[0] ?? begin
          yield block
        }
      }
      market.seen = seen
    },
  }
  return market
}

type Heard = { at: number[]; units: number[]; amounts: number[] }

function blockOf({ at, units, amounts }: Heard, seen: FileFindings): PointBlock {
  const block = {
    at: Float64Array.from(at.splice(0, blockPoints)),
    units: Float64Array.from(units.splice(0, blockPoints)),
    amounts: Float64Array.from(amounts.splice(0, blockPoints)),
  }
  const { low, high } = extremesOf(block.units)
  const count = block.at.length
  seen.rows += count
  seen.points += count
  seen.low = Math.min(seen.low, low)
  seen.high = Math.max(seen.high, high)
  seen.endsAt = block.at[count - 1] ?? seen.endsAt
  return { count, ...block, low, high }
}

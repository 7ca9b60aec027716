import type { CompiledLadder } from '#src/engine/rules/compiled-strategy.ts'
import { hair } from './price-bands.ts'
import type { LadderState, Order } from '#src/engine/state/state.ts'

type Place = { price: number; rests: boolean }

/**
 * At which prices a rung that does not rest comes within the window of its ladder, or one that rests leaves it. The other way
 * round nothing is sent: one that rests stays, and one that does not is no nearer to a place.
 */
export function windowEdges(
  { file }: CompiledLadder,
  own: LadderState,
  alive: ReadonlyMap<string, Order>,
  price: number,
): number[] {
  const { max, within } = file.resting
  if (max === undefined && within === undefined) return []
  const filled = new Set(own.filled)
  const places: Place[] = []
  for (const { level, price } of own.rungs) {
    const rests = alive.has(level)
    if (rests || !filled.has(level)) places.push({ price: Number(price), rests })
  }
  const share = within?.toNumber() ?? Infinity
  const edges = share < Infinity ? edgesByDistance(places, share, stepOf(own, places), price) : []
  if (max !== undefined) edges.push(...edgesByRank(places, max, share, price))
  return edges
}

/** Which of two rungs is nearer changes half way between them; for one out of reach there it means nothing. */
function edgesByRank(places: Place[], max: number, share: number, price: number): number[] {
  places.sort((a, b) => a.price - b.price)
  const edges: number[] = []
  // What rests keeps its place one behind the end of the window, until another one is nearer by two.
  for (const width of [max - 1, max, max + 1]) {
    for (let index = 0; index + width < places.length; index++) {
      const [low, high] = [places[index]!, places[index + width]!]
      const edge = (low.price + high.price) / 2
      const [going, coming] = edge > price ? [low, high] : [high, low]
      const counts =
        width > max
          ? going.rests
          : !coming.rests && Math.abs(coming.price - edge) <= share * edge * (1 + hair)
      if (isNear(edge, price) || counts) edges.push(edge)
    }
  }
  return edges
}

function edgesByDistance(places: readonly Place[], share: number, step: number, price: number): number[] {
  const edges: number[] = []
  for (const { price: at, rests } of places) {
    // Between the two it is within reach; what rests is so for one step more.
    const slack = rests ? step : 0
    const [low, high] = [(at - slack) / (1 + share), (at + slack) / (1 - share)]
    if (isNear(low, price) || low > price !== rests) edges.push(low)
    if (isNear(high, price) || high < price !== rests) edges.push(high)
  }
  return edges
}

function stepOf({ rungs: [first, second] }: LadderState, places: readonly Place[]): number {
  return places.length > 1 ? Math.abs(Number(first?.price) - Number(second?.price)) : 0
}

/** So near that a double may stand on either side. */
function isNear(edge: number, price: number): boolean {
  return Math.abs(edge - price) <= hair * price
}

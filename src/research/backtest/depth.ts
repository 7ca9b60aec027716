import { depthKey, reachOf } from '#src/engine/state/depth.ts'
import { HistoricalDepth, type DepthMarket } from './loop/historical-depth.ts'
import type { Scenario } from './scenario.ts'

/** The order books of the markets that have a feed of depth and a file. */
export function depthOf(scene: Scenario, places: readonly DepthMarket['place'][]): HistoricalDepth {
  const markets = places.flatMap((place) => {
    const file = scene.depth.get(place.symbol)
    const reaches = reachesOf(scene, place.symbol)
    return file && reaches.length > 0 ? [{ place, file, reaches }] : []
  })
  return new HistoricalDepth(markets)
}

/** Each distance once. */
function reachesOf({ strategies }: Scenario, symbol: string) {
  const feeds = [...strategies.values()].flatMap(({ strategy: { depth, markets } }) =>
    Object.values(depth).filter(({ market }) => markets[market]?.symbol === symbol),
  )
  return [...new Map(feeds.map((feed) => [depthKey(symbol, reachOf(feed)), reachOf(feed)])).values()]
}

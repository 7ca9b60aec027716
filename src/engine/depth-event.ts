/** One side of an order book, reduced: its best price, the amount there, and the amount as far as the feed reads. */
export type SideDepth = { price: string; amount: string; volume: string }

/** Exact decimals as text, amounts in base currency; null where a side is empty. */
export type DepthValues = { bids: SideDepth | null; asks: SideDepth | null }

/** How far volumes reach: a distance from the best prices as a share of them, such as 0.001, or a number of prices a side. */
export type DepthReach = { within: string } | { levels: number }

export type DepthEvent = DepthValues & DepthReach & { kind: 'depth'; at: number; market: string }

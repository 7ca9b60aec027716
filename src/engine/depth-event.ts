/** One side of an order book, reduced: its best price, the amount there, and the amount within a distance of that price. */
export type SideDepth = { price: string; amount: string; volume: string }

/** Exact decimals as text, amounts in base currency; null where a side is empty. */
export type DepthValues = { bids: SideDepth | null; asks: SideDepth | null }

/** `within`: the distance from the best prices, as a share of them, such as 0.001. */
export type DepthEvent = DepthValues & { kind: 'depth'; at: number; market: string; within: string }

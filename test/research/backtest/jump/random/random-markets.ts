/** The markets of the random strategies, with prices from which their generated charts begin. */
export const symbols = [
  { symbol: 'BTC_USDT', price: 60_000, digits: 2 },
  { symbol: 'ETH_USDT', price: 2500, digits: 2 },
  { symbol: 'BTC_PERP', price: 60_000, digits: 1 },
  { symbol: 'ETH_PERP', price: 2500, digits: 2 },
  { symbol: 'SOL_PERP', price: 150, digits: 2 },
] as const

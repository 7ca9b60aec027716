/** The prices of a time span: numbers of any unit, or texts. */
export type Prices<Value = number> = { open: Value; high: Value; low: Value; close: Value }

/** One bar of a market. */
export type Candle = Prices & { volume: number }

/** A candle with the time of its beginning. */
export type TimedCandle = Candle & { opened: number }

/** Of a span with one price. */
export function pricesAt(price: number): Prices {
  return { open: price, high: price, low: price, close: price }
}

export function mapPrices<From, To>(
  { open, high, low, close }: Prices<From>,
  map: (value: From) => To,
): Prices<To> {
  return { open: map(open), high: map(high), low: map(low), close: map(close) }
}

/** Extends `prices` by those of a later span. */
export function addLater(prices: Prices, { high, low, close }: Omit<Prices, 'open'>): void {
  if (high > prices.high) prices.high = high
  if (low < prices.low) prices.low = low
  prices.close = close
}

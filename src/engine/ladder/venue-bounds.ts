import type { Bound, RungState, State } from '#src/engine/state/state.ts'
import { edgeAt, readOthers } from '#src/engine/state/validity.ts'

/** The bot sends a refused price again at this share of its distance. Few retries are refused while the price comes closer. */
const nearer = 0.95

const words = {
  money: ', or when an exit fills or an order is cancelled',
  price: ', or when the price comes closer',
} as const satisfies Record<Bound['of'], string>

/** What ends the wait of a rung early. */
export function boundWords(bound: Bound | undefined): string {
  return bound === undefined ? '' : words[bound.of]
}

/** Whether the bound that refused the rung may admit it now. */
export function mayBeAdmitted(
  { freedAt = 0 }: State,
  symbol: string,
  { price: text, wait: { bound } }: RungState,
  price: number | undefined,
): boolean {
  if (bound === undefined) return false
  if (bound.of === 'money') {
    readOthers()
    return freedAt > bound.at
  }
  if (price === undefined) return false
  const [rungPrice, share] = [Number(text), nearer * bound.far]
  edgeAt(symbol, price, rungPrice / (1 + share))
  // At a share of 1 or more, each price below the rung is near enough.
  if (share < 1) edgeAt(symbol, price, rungPrice / (1 - share))
  return Math.abs(rungPrice - price) < share * price
}

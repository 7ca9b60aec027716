import type { ApprovedOrder } from '#src/engine/commands.ts'
import type { Submission, SubmitPolicy, Venue } from '#src/venue/port.ts'

/** What an adapter may leave out. A case that needs a feature runs only for adapters that declare it. */
export type Feature =
  | 'cancel'
  | 'openOrders'
  | 'deals'
  | 'positions'
  | 'equity'
  | 'mainBalances'
  | 'prices'
  | 'candles'
  | 'streams'
  | 'futures'
  | 'orderBook'
  | 'publicTrades'
  | 'time'
  | 'deadman'
  | 'leverage'
  | 'invest'
  /** The venue refuses a client order id that was used before, and the adapter says so. */
  | 'usedIds'
  /** The venue has orders that wait for an activation price. */
  | 'conditionalOrders'
  /** The venue replaces an order in one request. */
  | 'amend'

/** What can happen to the next request that submits or cancels orders. */
type SubjectFault =
  /** The venue executes the request; no answer arrives. */
  | 'answer lost'
  /** The request does not arrive; the connection breaks. */
  | 'lost'
  /** The venue refuses the request because of its rate limit. */
  | 'throttled'

/** An adapter at a venue of its own, as a case of the suite gets it. */
export type Subject = {
  venue: Venue
  /** A market in which the account can buy and sell 0.01 at 50000; nothing rests there. */
  market: string
  declares: ReadonlySet<Feature>
  /** Another account submits an order there. */
  rival: (order: { side: 'buy' | 'sell'; price: string; amount: string }) => Promise<void>
  fault: (fault: SubjectFault, request?: 'submit' | 'cancel') => void
  /** From now on no request reaches the venue. */
  disconnect: () => void
  close: () => Promise<void>
}

export function orderAt(
  { market }: Pick<Subject, 'market'>,
  id: string,
  about: Partial<Omit<ApprovedOrder, 'id'>> = {},
): ApprovedOrder {
  const place = { strategy: 's', ladder: 'g', level: '1', generation: 1, role: 'entry', positionSide: 'LONG' }
  const size = { market, side: 'buy', price: '50000', amount: '0.01' }
  const flags = { postOnly: false, ioc: false, rpi: false }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no gate is needed to see what an adapter sends
  return { id, ...place, ...size, ...flags, ...about } as unknown as ApprovedOrder
}

export function submit(
  { venue }: Pick<Subject, 'venue'>,
  orders: readonly ApprovedOrder[],
  about: Partial<SubmitPolicy> = {},
): Promise<Submission> {
  const signal = new AbortController().signal
  const policy = { stopOnFail: false, priority: 'entries', withinMs: () => 10_000, signal } as const
  return venue.submit(orders, { ...policy, onTime: () => {}, ...about })
}

/** The value of a read that must be answered. */
export async function valueOf<Value>(
  reading: Promise<{ kind: 'read'; value: Value } | { kind: string }>,
): Promise<Value> {
  const read = await reading
  if (!('value' in read)) throw new Error(`the read ended as ${JSON.stringify(read)}`)
  return read.value
}

/** The venue's id of an open order. */
export async function openId(subject: Subject, id: string): Promise<string | undefined> {
  const { orders } = await valueOf(subject.venue.account.openOrders())
  return [...orders.values()].find((order) => order.id === id)?.venueId
}

import type { TestVenue } from '#test/support/venue.ts'
import { answered } from './clause.ts'
import { perp, placed } from './placing.ts'

/** What the clauses about attached exits say again and again. */
export const exits = { takeProfit: '62000', stopLoss: '59000' } as const
export const entry = { ...perp, ...exits, client_order_id: 'a' } as const
export const gone = { status: 400 }

type Named = { order_id: number; oto: { otoId: number } }

/** `paper` places a buy with exits; the ids of the order and of its OTO. */
export async function attached(venue: TestVenue, about: object = {}) {
  const { order_id, oto }: Named = Object(await placed(venue, 'collateralLimit', { ...entry, ...about }))
  return { order_id, otoId: oto.otoId }
}

export const sold = (venue: TestVenue, amount: string, price = '60000') =>
  placed(venue, 'collateralLimit', { ...perp, side: 'sell', amount, price }, 'rival')

export const open = async (venue: TestVenue): Promise<Record<string, unknown>[]> =>
  Object(await answered(venue, 'openOrders'))

/** The activation prices and amounts of the exits that wait. */
export async function waiting(venue: TestVenue) {
  const stops = (await open(venue)).filter(({ type }) => type === 'margin stop market')
  return stops.map(({ activation_price, amount }) => `${String(activation_price)} ${String(amount)}`)
}

export async function tpsl(venue: TestVenue): Promise<unknown> {
  const [position] = Object(await answered(venue, 'openPositions'))
  return position?.tpsl
}

export const statuses = async (venue: TestVenue) => {
  const { BTC_PERP = [] }: { BTC_PERP?: { id: number; status: string }[] } = Object(
    await answered(venue, 'orderHistory'),
  )
  return Object.fromEntries(BTC_PERP.map(({ id, status }) => [id, status]))
}

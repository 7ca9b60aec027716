import { readStream } from '#test/support/stream-reader.ts'
import { openVenue } from '#test/support/venue.ts'

export type Own = Awaited<ReturnType<typeof openOwn>>

export const success = { status: 'success' }

export function order(side: 'buy' | 'sell', price: string, amount: string, rest: object = {}) {
  return { market: 'SOL_PERP', side, price, amount, ...rest }
}

/** An exchange with streams, and one stream without authorization. */
export async function openOwn() {
  // The books of this test are far from the start prices of the world.
  const world = { accounts: { paper: { leverage: '5' } }, switches: { priceBand: 'none' } }
  const venue = await openVenue('socket', { profile: 'full', world })
  const reader = await readStream(venue.streamUrl)

  async function token(): Promise<string> {
    const outcome = await venue.paper.streamToken()
    if (outcome.kind !== 'accepted') throw new Error(`no token: ${outcome.kind}`)
    return outcome.value.websocket_token
  }

  return {
    venue,
    reader,
    token,
    async authorize(): Promise<void> {
      const answer = await reader.ask('authorize', await token(), 'public')
      if (JSON.stringify(answer) !== JSON.stringify(success)) throw new Error('paper was not let in')
    },
    place: (as: 'paper' | 'rival', ...orders: ReturnType<typeof order>[]) =>
      venue[as].collateralBulk({ orders }),
    /** Tenths of a second. */
    async beat(count: number): Promise<void> {
      for (let beats = 0; beats < count; beats++) {
        venue.advance(100)
        await reader.ask('ping')
      }
    },
    async close(): Promise<void> {
      await reader.close()
      await venue.close()
    },
  }
}

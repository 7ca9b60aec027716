import { writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { systemClock } from '#src/core/time/clock.ts'
import { restingRows } from '#src/exchange/trading/book/order-columns.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { worldWith } from '#test/support/world.ts'
import { amendedQuotes } from './amended-quotes.ts'
import { venueFileText } from './venue-records.ts'

const market = 'BTC_PERP'
const speed = 10
const beginPrice = 60_000
const quoteMsMax = 20_000

type OpenQuote = { venueId: number; sells: boolean; price: number; left: string }

export type AmendingMaker = {
  venue: FaultyVenue
  /** Words of `rungs run`. */
  words: readonly string[]
  stateDir: string
  open(): OpenQuote[]
  /** Moves the best prices of the market by this much money. */
  move(by: number): Promise<void>
  /** Another trader fills so much of an open order. The best prices are away meanwhile. */
  fill(quote: OpenQuote, amount: string): Promise<void>
  /** Waits until the bot has one bid and one ask at the present price. */
  quoted(): Promise<void>
}

/** A venue whose only other trader is the test, and a strategy that amends there. The delay is in seconds of the venue. */
export async function withAmendingMaker(
  folder: { file(name: string): string },
  story: (maker: AmendingMaker) => Promise<void>,
  executionDelay = 0,
): Promise<void> {
  const world = worldWith({ switches: { executionDelay: `${executionDelay}s` } })
  const venue = await startFaultyVenue({ world, clock: systemClock, profile: 'full', speed })
  const { exchange, url } = venue.running
  const rival = createClient({
    transport: httpTransport(url),
    key: {
      credentials: { key: 'rival-key', secret: new Secret('rival-secret') },
      nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
    },
  })
  let price = beginPrice
  const place = async (...orders: { side: 'buy' | 'sell'; price: string; amount: string }[]) => {
    const { orders: placed } = await rival.collateralBulk({
      orders: orders.map((order) => ({ market, ...order })),
    })
    expect(placed.map(({ kind }) => kind)).toEqual(orders.map(() => 'accepted'))
  }
  const quote = () =>
    place(
      { side: 'buy', price: String(price - 1), amount: '0.05' },
      { side: 'sell', price: String(price + 1), amount: '0.05' },
    )
  const leave = async () => expect((await rival.cancelAll({ market })).kind).toBe('accepted')
  const open = (): OpenQuote[] => {
    const { orders, accounts } = exchange.state
    const account = accounts.get('paper')
    const perp = exchange.venue.markets.get(market)
    if (!account || !perp) throw new RangeError('the world has other accounts or markets')
    return [...restingRows(orders, account)].map((row) => ({
      venueId: orders.id[row] ?? NaN,
      sells: orders.sells[row] === 1,
      price: Number(perp.priceText(orders.ticks[row] ?? NaN)),
      left: perp.amountText(orders.left[row] ?? NaN),
    }))
  }
  try {
    await quote()
    const [file, venueFile, stateDir] = [
      folder.file('maker.yaml'),
      folder.file('venue.yaml'),
      folder.file('state'),
    ]
    writeFileSync(file, amendedQuotes)
    writeFileSync(venueFile, venueFileText(venue.url).replace('settle: 0s', `settle: ${2 * executionDelay}s`))
    await story({
      venue,
      words: [file, '--venue', venueFile, '--state-dir', stateDir, '--speed', String(speed)],
      stateDir,
      open,
      async move(by) {
        price += by
        await leave()
        await quote()
      },
      async fill({ sells, price: at }, amount) {
        await leave()
        await place({ side: sells ? 'buy' : 'sell', price: String(at), amount })
        await quote()
      },
      quoted: () =>
        expect
          .poll(
            () =>
              open()
                .map(
                  ({ sells, price: at }) =>
                    `${sells ? 'ask' : 'bid'} ${Math.round((at / price) * 10_000) / 100} %`,
                )
                .toSorted(),
            { timeout: quoteMsMax, interval: 20 },
          )
          .toEqual(['ask 100.2 %', 'bid 99.8 %']),
    })
  } finally {
    await rival.close()
    await venue.close()
  }
}

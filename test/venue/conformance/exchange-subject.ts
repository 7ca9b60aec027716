import type { Venue } from '#src/venue/port.ts'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import type { EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Spelling } from '#src/venues/whitebit/contract/wire/spelling.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { startFaultyVenue } from '#test/support/faulty-venue.ts'
import { worldWith } from '#test/support/world.ts'
import type { Feature, Subject } from './subject.ts'

/** An adapter at the embedded exchange, behind a proxy that can inject faults. */
export async function exchangeSubject(about: {
  declares: ReadonlySet<Feature>
  /** The call by which the adapter submits orders. */
  submits: EndpointName
  /** The call by which it cancels them. */
  cancels: EndpointName
  spelling?: Spelling
  connect: (url: string) => Promise<Venue>
}): Promise<Subject> {
  const { declares, submits, cancels, spelling = 'spec', connect } = about
  const exchange = await startFaultyVenue({
    world: worldWith(),
    clock: systemClock,
    profile: 'full',
    seed: 'conformance',
    spelling,
  })
  const rival = createClient({
    transport: httpTransport(exchange.running.url),
    key: {
      credentials: { key: 'rival-key', secret: new Secret('rival-secret') },
      nonces: new Nonces({ clock: systemClock, mode: 'strict' }),
    },
    spelling,
  })
  const venue = await connect(exchange.url)
  return {
    venue,
    market: 'BTC_PERP',
    declares,
    async rival(order) {
      const { orders } = await rival.collateralBulk({ orders: [{ market: 'BTC_PERP', ...order }] })
      if (orders.some(({ kind }) => kind !== 'accepted')) throw new Error(JSON.stringify(orders))
    },
    fault: (fault, request = 'submit') => exchange.plan(request === 'submit' ? submits : cancels, 1, fault),
    disconnect: () => exchange.down(true),
    async close() {
      await venue.close()
      await rival.close()
      await exchange.close()
    },
  }
}

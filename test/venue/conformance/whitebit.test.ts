import { describe, expect, test } from 'vitest'
import { createClient } from '#src/venues/whitebit/client/client.ts'
import { httpTransport } from '#src/venues/whitebit/client/transport/http.ts'
import { Nonces } from '#src/venues/whitebit/client/calls/nonces.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { adapterOf } from '#test/support/adapter.ts'
import { exchangeSubject } from './exchange-subject.ts'
import { conformanceCases, conforms } from './conformance.ts'
import type { Feature } from './subject.ts'

const declares: ReadonlySet<Feature> = new Set([
  'cancel',
  'openOrders',
  'deals',
  'positions',
  'equity',
  'mainBalances',
  'prices',
  'candles',
  'streams',
  'futures',
  'orderBook',
  'publicTrades',
  'time',
  'deadman',
  'leverage',
  'invest',
  'usedIds',
  'conditionalOrders',
  'amend',
])

describe('the WhiteBIT adapter conforms to the venue port', () => {
  conforms(declares, () =>
    exchangeSubject({
      declares,
      submits: 'collateralBulk',
      cancels: 'cancelOrders',
      connect: async (url) => {
        const nonces = new Nonces({ clock: systemClock, mode: 'strict' })
        const credentials = { key: 'paper-key', secret: new Secret('paper-secret') }
        const client = createClient({
          transport: httpTransport(url),
          key: { credentials, nonces },
          random: () => 0,
        })
        return adapterOf(client, { terms: { url } })
      },
    }),
  )
})

test('case numbers rise, and each is used once', () => {
  const numbers = conformanceCases.map(({ id }) => Number(id.slice(1)))
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
})

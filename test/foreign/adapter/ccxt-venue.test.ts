import { describe } from 'vitest'
import { conforms } from '#test/venue/conformance/conformance.ts'
import { exchangeSubject } from '#test/venue/conformance/exchange-subject.ts'
import type { Feature } from '#test/venue/conformance/subject.ts'
import { ccxtVenue } from './ccxt-venue.ts'

const declares: ReadonlySet<Feature> = new Set([
  'cancel',
  'openOrders',
  'deals',
  'positions',
  'mainBalances',
  'prices',
  'candles',
  'time',
  'deadman',
  'leverage',
  'usedIds',
])

describe('an adapter over ccxt conforms to the venue port', () => {
  conforms(declares, () =>
    exchangeSubject({
      declares,
      submits: 'collateralLimit',
      cancels: 'cancelOrder',
      spelling: 'camel',
      connect: ccxtVenue,
    }),
  )
})

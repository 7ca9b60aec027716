import { expect, test } from 'vitest'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { openVenue } from '#test/exchange/exchange-fixture.ts'

// Found by a million malformed requests: zod 4.6 compares the length of any value with the limit of a text.
test.each([
  [
    'editSubAccount',
    { id: '44444444-4444-4444-8444-000000000001', alias: { length: { toString: 1 } } },
    'alias',
  ],
  ['transactionHistory', { addresses: { length: [{ toString: 1 }] } }, 'addresses'],
  ['collateralBulk', { orders: { length: { valueOf: 1, toString: 1 } } }, 'orders'],
] as const)(
  'a value whose length cannot be compared is refused by name, in %s',
  (name, parameters, field) => {
    const refusal = openVenue({ profile: 'full' }).refused(contract[name], 'paper', parameters)
    expect(refusal.errors).toMatchObject({
      [field]: expect.arrayContaining([expect.stringMatching(/must be (?:a string|an array)/)]),
    })
  },
)

import { contract, type EndpointName } from '#src/venues/whitebit/contract/endpoint-table.ts'

/** The endpoints as §4 lists them: section, path, and the call of the client that stands for each. */
export const rows = [
  ['4.1', '/api/v4/main-account/smart-flex/investments', 'flexInvestments'],
  ['4.2', '/api/v4/main-account/smart-flex/investments/history', 'flexHistory'],
  ['4.3', '/api/v4/main-account/smart-flex/investments/invest', 'flexInvest'],
  ['4.4', '/api/v4/main-account/smart-flex/plans', 'flexPlans'],
  ['4.5', '/api/v4/main-account/smart/interest-payment-history', 'fixedInterest'],
  ['4.6', '/api/v4/main-account/smart/investment', 'fixedInvest'],
  ['4.7', '/api/v4/main-account/smart/investment/close', 'fixedClose'],
  ['4.8', '/api/v4/order/collateral/bulk', 'collateralBulk'],
  ['4.9', '/api/v4/main-account/refund-deposit', 'refundDeposit'],
  ['4.10', '/api/v4/trade-account/order/history', 'orderHistory'],
  ['4.11', '/api/v4/main-account/codes', 'createCode'],
  ['4.12', '/api/v4/mining/payout-destination/edit', 'payoutDestination'],
  ['4.13', '/api/v4/mining/workers/hashrate', 'workerHashrate'],
  ['4.14', '/api/v4/mining/hashrate', 'accountHashrate'],
  ['4.15', '/api/v4/main-account/address', 'depositAddress'],
  ['4.16', '/api/v4/sub-account/edit', 'editSubAccount'],
  ['4.17', '/api/v4/trade-account/balance', 'tradingBalance'],
  ['4.18', '/api/v4/main-account/balance', 'mainBalance'],
] as const satisfies readonly (readonly [string, string, EndpointName])[]

export const pingPath = '/api/v4/public/ping'

export type SpecPrivateName = (typeof rows)[number][2]
export const privateNames: readonly SpecPrivateName[] = rows.map(([, , name]) => name)

/** §1, §5: what only services of business partners may call. */
export const partnerNames: readonly SpecPrivateName[] = [
  'flexInvestments',
  'flexHistory',
  'flexInvest',
  'flexPlans',
  'fixedInterest',
  'fixedInvest',
  'fixedClose',
]

/** A call that a row itself holds up as an example. */
export function exampleOf(name: EndpointName): Record<string, unknown> {
  return contract[name].example.request
}

/** What two accounts of the packaged world do at an exchange whose markets stand still, as words behind `rungs api`. */
export const dealings: readonly { who: Who; words: readonly string[] }[] = [
  by('paper', 'collateral-bulk', {
    orders: JSON.stringify([
      { market: 'BTC_PERP', side: 'buy', amount: '0.01', price: '59000.5', client_order_id: 'golden-1' },
      { market: 'BTC_PERP', side: 'buy', amount: '0.02', price: '58000', client_order_id: 'golden-2' },
      { market: 'ETH_PERP', side: 'sell', amount: '0.5', price: '3300', client_order_id: 'golden-3' },
      { market: 'BTC_USDT', side: 'buy', amount: '0.000001', price: '60000', client_order_id: 'golden-4' },
      { market: 'SOL_PERP', side: 'sell', amount: '7', price: '151.5', client_order_id: 'golden-5' },
    ]),
  }),
  // One fills as a whole, one in part.
  by('rival', 'collateral-limit', { market: 'BTC_PERP', side: 'sell', amount: '0.018', price: '58000' }),
  by('rival', 'collateral-limit', { market: 'SOL_PERP', side: 'buy', amount: '2.5', price: '152' }),
  by('paper', 'spot-limit', { market: 'ETH_USDT', side: 'sell', amount: '0.4', price: '3100.01' }),
  by('rival', 'spot-limit', { market: 'ETH_USDT', side: 'buy', amount: '0.15', price: '3100.01' }),
  by('paper', 'cancel-order', { market: 'ETH_PERP', 'client-order-id': 'golden-3' }),
  by('paper', 'collateral-oco', {
    market: 'BTC_PERP',
    side: 'sell',
    amount: '0.01',
    price: '62000',
    'activation-price': '56000',
    'stop-limit-price': '55900',
    'client-order-id': 'golden-6',
  }),
  by('paper', 'transfer', { ticker: 'USDT', amount: '250.5', from: 'main', to: 'collateral' }),
  by('paper', 'create-code', { ticker: 'USDT', amount: '25.5', description: 'golden' }),
  by('paper', 'flex-invest', { plan: '22222222-2222-4222-8222-000000000001', amount: '1000' }),
  by('paper', 'modify-order', { market: 'BTC_PERP', 'client-order-id': 'golden-2', price: '57900.5' }),
]

const reads = [
  'main-balance',
  'trading-balance',
  'collateral-balance',
  'account-summary',
  'open-positions',
  'open-orders',
  'order-history',
  'executed-history',
  'my-codes',
  'flex-investments',
  'conditional-orders',
]

/** Reads of all that the two accounts have. */
export const askedInTheEnd = accounts().flatMap((who) =>
  reads.filter((name) => who === 'paper' || name !== 'flex-investments').map((name) => by(who, name)),
)

type Who = ReturnType<typeof accounts>[number]

function accounts() {
  return ['paper', 'rival'] as const
}

function by(who: Who, name: string, fields: Record<string, string> = {}) {
  return { who, words: [name, ...Object.entries(fields).flatMap(([field, value]) => [`--${field}`, value])] }
}

/** A venue file for the one or the other. */
export function venueText(who: Who, url: string, euUrl: string): string {
  return [
    `url: ${url}`,
    `euUrl: ${euUrl}`,
    'nonce: strict',
    'clientIds: forever',
    `key: ${who}-key`,
    `secret: ${who}-secret`,
    '',
  ].join('\n')
}

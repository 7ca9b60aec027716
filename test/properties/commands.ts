import fc from 'fast-check'
import type { World } from '#src/exchange/world-file.ts'
import { paperWorld } from '#test/exchange/exchange-fixture.ts'

/** A small world in which three accounts with little money and different leverage trade all the time. */
export const traders = ['one', 'two', 'three'] as const
export type TraderName = (typeof traders)[number]

/** An order of a bulk, valid or invalid. */
export type RawOrder = {
  market: string
  side: 'buy' | 'sell'
  amount: string
  price: string
  client_order_id: string
  postOnly: boolean
  ioc: boolean
  rpi: boolean
}

const one = 10n ** 18n
const leverages = { one: 1, two: 3, three: 20 }

export const tradersWorld: World = {
  ...paperWorld,
  // The naive model has the rules of worlds that do not state it.
  shortfalls: undefined,
  accounts: Object.fromEntries(
    traders.map((name, index) => [
      name,
      {
        partner: true,
        keys: [
          {
            key: `${name}-key`,
            secret: `${name}-secret`,
            permissions: ['read', 'trade', 'funds', 'account'],
          },
        ],
        main: { USDT: 400n * one, BTC: one / 4n },
        spot: { USDT: 7n * one },
        collateral: { USDT: 500n * one },
        leverage: leverages[name],
        subAccounts: [],
        mining: [],
        withdrawals: [],
        deposits: [
          { id: depositOf(index), ticker: 'USDT', network: 'TRC20', amount: 250n * one, status: 'canceled' },
        ],
      },
    ]),
  ),
}

export function depositOf(index: number): string {
  return `11111111-1111-4111-8111-00000000000${index + 1}`
}

export type ExchangeCommand =
  | { kind: 'bulk'; by: TraderName; orders: RawOrder[]; stopOnFail: boolean }
  | { kind: 'flex'; by: TraderName; plan: string; amount: string; reinvest: boolean | undefined }
  | { kind: 'fixed'; by: TraderName; plan: string; amount: string }
  | { kind: 'close'; by: TraderName; which: number }
  | { kind: 'code'; by: TraderName; ticker: string; amount: string }
  | { kind: 'refund'; by: TraderName; deposit: string; address: string }
  | { kind: 'wait'; minutes: number }

const by = fc.constantFrom(...traders)
const seldom = fc.oneof(
  { weight: 9, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
)

/** Invalid number texts: wrong digits, wrong steps, out of range, not decimals. */
const oddNumbers = fc.constantFrom(
  '0',
  '0.00',
  '0.0000001',
  '1e3',
  '-1',
  '+1',
  '01',
  '.5',
  '5.',
  '',
  ' 1',
  'NaN',
)
const hugeNumbers = fc.constantFrom('999999999', '999999999999999999', '1000000000000000000', '9'.repeat(40))
const numberText = (usual: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 30, arbitrary: usual },
    { weight: 1, arbitrary: oddNumbers },
    { weight: 1, arbitrary: hugeNumbers },
  )

const solPrice = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 95, max: 105 }).map(String) },
  { weight: 2, arbitrary: fc.integer({ min: 300, max: 40_000 }).map((cents) => (cents / 100).toFixed(2)) },
)
const markets = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({
      market: fc.constant('SOL_PERP'),
      amount: numberText(fc.integer({ min: 1, max: 60 }).map((tenths) => (tenths / 10).toFixed(1))),
      price: numberText(solPrice),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      market: fc.constant('BTC_USDT'),
      amount: numberText(fc.integer({ min: 50, max: 9999 }).map((micros) => (micros / 1e6).toFixed(6))),
      price: numberText(
        fc.integer({ min: 5_999_990, max: 6_000_010 }).map((cents) => (cents / 100).toFixed(2)),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ market: 'DOGE_PERP', amount: '1', price: '100' }) },
)

/** Client order ids repeat sometimes: the second use must be refused. */
const clientId = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 400 }).map((id) => `id.${id}`),
)
const order: fc.Arbitrary<RawOrder> = fc
  .tuple(
    markets,
    fc.record({
      side: fc.constantFrom('buy', 'sell'),
      client_order_id: clientId,
      postOnly: seldom,
      ioc: seldom,
      rpi: seldom,
    }),
  )
  .map(([where, how]) => Object.assign({}, where, how))

const plans = fc
  .constantFrom('1', '2', '9', '7')
  .map((digit) => `22222222-2222-4222-8222-00000000000${digit}`)
const fixedPlans = fc
  .constantFrom('1', '2', '7')
  .map((digit) => `33333333-3333-4333-8333-00000000000${digit}`)
const sum = fc.constantFrom(
  '0',
  '0.00',
  '0.00000001',
  '0.000000001',
  '0.001',
  '0.05',
  '9.99',
  '10',
  '12.345678901234567891',
  '33.33',
  '100',
  '350.5',
  '10001',
  'x',
)
const bulk = fc.record({
  kind: fc.constant('bulk' as const),
  by,
  orders: fc.array(order, { minLength: 1, maxLength: 6 }),
  stopOnFail: fc.boolean(),
})
/** Mostly the account's own deposit and a valid address, so that a second refund is tried too. */
const refund = fc
  .record({
    by: fc.nat(2),
    foreign: fc.integer({ min: -6, max: 3 }),
    letter: fc.constantFrom('W', 'W', 'W', 'X'),
  })
  .map(({ by, foreign, letter }) => ({
    kind: 'refund' as const,
    by: traders[by] ?? 'one',
    deposit: depositOf(foreign < 0 ? by : foreign),
    address: `TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxM${letter}`,
  }))
const other = fc.oneof(
  fc.record({
    kind: fc.constant('flex' as const),
    by,
    plan: plans,
    amount: sum,
    reinvest: fc.constantFrom(true, false, undefined),
  }),
  fc.record({ kind: fc.constant('fixed' as const), by, plan: fixedPlans, amount: sum }),
  fc.record({ kind: fc.constant('close' as const), by, which: fc.nat(4) }),
  fc.record({
    kind: fc.constant('code' as const),
    by,
    ticker: fc.constantFrom('USDT', 'BTC', 'EUR', 'NONE'),
    amount: sum,
  }),
  refund,
  fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 8000 }) }),
)
export const command: fc.Arbitrary<ExchangeCommand> = fc.oneof(
  { weight: 5, arbitrary: bulk },
  { weight: 2, arbitrary: other },
)

/** The call of a command. */
export function callOf(command: Exclude<ExchangeCommand, { kind: 'wait' }>, closable: readonly string[]) {
  switch (command.kind) {
    case 'bulk':
      return {
        row: 'collateralBulk',
        parameters: { orders: command.orders, stopOnFail: command.stopOnFail },
      } as const
    case 'flex': {
      const { plan, amount, reinvest } = command
      return {
        row: 'flexInvest',
        parameters: { plan, amount, ...(reinvest === undefined ? {} : { withReinvest: reinvest }) },
      } as const
    }
    case 'fixed':
      return { row: 'fixedInvest', parameters: { planId: command.plan, amount: command.amount } } as const
    case 'close':
      return { row: 'fixedClose', parameters: { id: closable[command.which] ?? depositOf(8) } } as const
    case 'code':
      return { row: 'createCode', parameters: { ticker: command.ticker, amount: command.amount } } as const
    case 'refund':
      return {
        row: 'refundDeposit',
        parameters: { transaction_id: command.deposit, address: command.address },
      } as const
  }
}

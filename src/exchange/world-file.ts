import { z } from 'zod'
import { switches } from '#src/venues/whitebit/contract/assumptions/switches.ts'
import { permissions } from '#src/venues/whitebit/contract/endpoint.ts'
import { atoms, feePercent, marketCosts, plain } from '#src/venues/whitebit/contract/market-costs.ts'
import { market, ticker, uuid } from '#src/venues/whitebit/contract/fields.ts'
import { atomDigits, fitsDigits, oneUnit } from '#src/core/money/atoms.ts'
import { decimalPattern } from '#src/core/money/decimal-text.ts'
import { networks } from '#src/exchange/account-data/networks.ts'

/**
 * The start of a world: the schema of `config/exchange.yaml`. Values arrive as text, because the YAML reader does not
 * parse numbers, and become atoms, counts and flags.
 */

const id = uuid.toLowerCase()
const count = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: 'Write a whole number', abort: true })
    .transform(Number)
    // Rules between fields compute with it.
    .pipe(z.int().max(most, { error: `Must be at most ${most}`, abort: true }))
const atLeastOne = (most: number) => count(most).refine((value) => value > 0, 'Must be at least 1')
const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
const balances = z.record(ticker, atoms).default({})
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, 'Use letters, digits, dot, dash, underscore')

const asset = z
  .strictObject({
    fiat: flag.default(false),
    networks: z.array(z.enum(networks)).default([]),
    minDeposit: atoms.default(0n),
    deposits: flag.default(true),
    /** The start price of its markets and their index, in money of the markets. */
    price: atoms.default(0n),
    /** Standard deviation of the simulated price change of a day: 3 % becomes 0.03. */
    volatility: z
      .string()
      .regex(decimalPattern, plain)
      .transform((text) => Number(text) / 100)
      .optional(),
  })
  .refine((rules) => rules.fiat || rules.networks.length > 0, 'A currency that is not fiat needs a network')

const bracket = z.strictObject({
  /** Up to this notional; positions end at that of the last bracket. */
  notional: atoms,
  maxLeverage: atLeastOne(100),
  /** The maintenance margin in percent of the notional: 0.4 becomes 0.004. */
  maintenance: atoms.transform((percent) => percent / 100n),
})
type Bracket = z.output<typeof bracket>

/** Whether each bracket is larger and stricter than the one before, and liquidates after its initial margin. */
function isRising(brackets: readonly Bracket[]): boolean {
  return brackets.every(({ notional, maxLeverage, maintenance }, index) => {
    const before = brackets[index - 1]
    const isStricter =
      before === undefined ||
      (notional > before.notional && maxLeverage <= before.maxLeverage && maintenance >= before.maintenance)
    return isStricter && notional > 0n && maintenance * BigInt(maxLeverage) < oneUnit
  })
}

export const inexactFees =
  'The digits of price, amount and fee rate add up to more than 18: fees would not be exact'

type Fees = { makerFee: bigint; takerFee: bigint }

export function hasExactFees(
  rules: Fees & { priceDigits: number; amountDigits: number; feeTiers?: Fees[] | undefined },
): boolean {
  const rateDigits = atomDigits - rules.priceDigits - rules.amountDigits
  const unit = 10n ** BigInt(Math.max(0, atomDigits - rateDigits))
  return [rules, ...(rules.feeTiers ?? [])].every(
    ({ makerFee, takerFee }) => makerFee % unit === 0n && takerFee % unit === 0n,
  )
}

const marketRules = marketCosts
  .extend({
    kind: z.enum(['spot', 'futures']),
    base: ticker,
    money: ticker,
    priceDigits: count(9),
    amountDigits: count(9),
    minAmount: atoms,
    minTotal: atoms,
    maxTotal: atoms,
    makerFee: feePercent,
    takerFee: feePercent,
    /** Futures: margin rates by position size. Without them the rates depend on the leverage alone. */
    brackets: z.array(bracket).min(1).max(20).optional(),
  })
  .refine((rules) => rules.kind === 'futures' || rules.brackets === undefined, {
    path: ['brackets'],
    error: 'Only futures have brackets: remove the key',
  })
  .refine(({ brackets = [] }) => isRising(brackets), {
    path: ['brackets'],
    error:
      'From bracket to bracket notional must rise, maxLeverage must not rise, maintenance must not fall, ' +
      'and maintenance must be below 100 / maxLeverage',
  })
  .refine((rules) => rules.kind === 'futures' || rules.fundingHours === undefined, {
    path: ['fundingHours'],
    error: 'Only futures pay funding: remove the key',
  })
  .refine((rules) => hasExactFees(rules), { error: inexactFees })

const plan = { id, ticker, minInvestment: atoms, maxInvestment: atoms }
const open = flag.default(true)
const flexPlan = z.strictObject({ ...plan, maxRate: atoms, open })
const fixedPlan = z.strictObject({ ...plan, rate: atoms, days: atLeastOne(3650), open })

const apiKey = { key: z.string().min(1).max(128), secret: z.string().min(1).max(256) }
const transaction = { id, ticker, network: z.string().min(1).max(20), amount: atoms }

const account = z.strictObject({
  partner: flag.default(false),
  keys: z
    .array(z.strictObject({ ...apiKey, permissions: z.array(z.enum(permissions)).default([...permissions]) }))
    .default([]),
  main: balances,
  spot: balances,
  collateral: balances,
  leverage: atLeastOne(100).default(1),
  subAccounts: z
    .array(
      z.strictObject({
        id,
        alias: z.string().min(1).max(64),
        spotEnabled: flag,
        collateralEnabled: flag,
        /** The account of this world file that it is. Without one it has a main balance only, and does not trade. */
        account: name.optional(),
      }),
    )
    .default([]),
  mining: z
    .array(
      z.strictObject({
        name,
        workers: z.array(z.strictObject({ name, hashrate: count(1_000_000) })),
        days: count(400),
      }),
    )
    .default([]),
  deposits: z
    .array(z.strictObject({ ...transaction, status: z.enum(['pending', 'successful', 'canceled']) }))
    .default([]),
  /** Withdrawals before the start of the world, already subtracted from the balances. */
  withdrawals: z
    .array(
      z.strictObject({
        ...transaction,
        fee: atoms.default(0n),
        address: z.string().min(1).max(200),
      }),
    )
    .default([]),
  webhook: z
    .strictObject({
      url: z.url({ protocol: /^https?$/, error: 'Write an http or https address' }),
      ...apiKey,
    })
    .optional(),
})

/** Whether each account that is a sub-account has one owner, and no sub-accounts itself. */
function haveOneOwner(accounts: Record<string, z.output<typeof account>>): boolean {
  const owned = Object.values(accounts).flatMap(({ subAccounts }) =>
    subAccounts.flatMap((each) => each.account ?? []),
  )
  const isFit = (name: string) => accounts[name]?.subAccounts.length === 0
  return new Set(owned).size === owned.length && owned.every(isFit)
}
const oneOwner = 'The account of a sub-account is not in this file, has sub-accounts, or is named twice'

export const worldSchema = z
  .strictObject({
    switches: switches.prefault({}),
    /**
     * Who bears a loss beyond the money of an account (ADR 0031): opposite positions, or the insurance without a limit.
     * Worlds of older versions do not state it: insurance.
     */
    shortfalls: z.enum(['deleverage', 'insurance']).optional(),
    /** What becomes of orders with takeProfit or stopLoss. Worlds of older versions do not state it: refused. */
    attachedExits: z.enum(['placed', 'refused']).optional(),
    assets: z.record(ticker, asset),
    markets: z.record(market, marketRules),
    flexPlans: z.array(flexPlan).default([]),
    fixedPlans: z.array(fixedPlan).default([]),
    accounts: z.record(name, account).refine(haveOneOwner, oneOwner),
  })
  .superRefine((world, context) => {
    const expect = (isFit: boolean, path: PropertyKey[], message: string) => {
      if (!isFit) context.addIssue({ code: 'custom', path, message })
    }
    const seen = new Set<string>()
    const once = (id: string, path: PropertyKey[]) => {
      expect(!seen.has(id), path, `${id} is used twice`)
      seen.add(id)
    }
    const known = (asset: string, path: PropertyKey[]) =>
      expect(Object.hasOwn(world.assets, asset), path, `${asset} is not among the assets`)
    const ordered = (least: bigint, most: bigint, path: PropertyKey[]) =>
      expect(least <= most, path, 'The minimum is above the maximum')
    for (const [market, rules] of Object.entries(world.markets)) {
      known(rules.base, ['markets', market, 'base'])
      known(rules.money, ['markets', market, 'money'])
      expect(
        fitsDigits(rules.minAmount, rules.amountDigits),
        ['markets', market, 'minAmount'],
        'The minimum has more decimals than amountDigits',
      )
      ordered(rules.minTotal, rules.maxTotal, ['markets', market, 'minTotal'])
      const quanta = rules.maxTotal / 10n ** BigInt(atomDigits - rules.priceDigits - rules.amountDigits)
      expect(
        quanta <= BigInt(Number.MAX_SAFE_INTEGER),
        ['markets', market, 'maxTotal'],
        'One order could not be computed exactly: lower the maximum or the digits',
      )
    }
    for (const field of ['flexPlans', 'fixedPlans'] as const) {
      for (const [index, plan] of world[field].entries()) {
        once(plan.id, [field, index, 'id'])
        known(plan.ticker, [field, index, 'ticker'])
        ordered(plan.minInvestment, plan.maxInvestment, [field, index, 'minInvestment'])
      }
    }
    for (const [owner, rules] of Object.entries(world.accounts)) {
      for (const [index, key] of rules.keys.entries())
        once(key.key, ['accounts', owner, 'keys', index, 'key'])
      for (const wallet of ['main', 'spot', 'collateral'] as const) {
        for (const asset of Object.keys(rules[wallet])) known(asset, ['accounts', owner, wallet, asset])
      }
      for (const field of ['subAccounts', 'deposits', 'withdrawals'] as const) {
        for (const [index, item] of rules[field].entries())
          once(item.id, ['accounts', owner, field, index, 'id'])
      }
      for (const field of ['deposits', 'withdrawals'] as const) {
        for (const [index, { ticker, network }] of rules[field].entries()) {
          const path = ['accounts', owner, field, index]
          known(ticker, [...path, 'ticker'])
          const { networks = [] } = world.assets[ticker] ?? {}
          const isKnown = networks.some((name) => name === network)
          expect(isKnown, [...path, 'network'], `${ticker} has no network ${network}`)
        }
      }
      for (const [index, pool] of rules.mining.entries())
        once(`pool ${pool.name}`, ['accounts', owner, 'mining', index])
    }
  })

export type World = z.output<typeof worldSchema>
export type WorldMarket = World['markets'][string]
export type FlexPlan = World['flexPlans'][number]
export type FixedPlan = World['fixedPlans'][number]

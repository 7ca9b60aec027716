import { fileURLToPath } from 'node:url'
import { BotError } from '#src/core/errors/bot-error.ts'
import { withCosts } from '#src/exchange/world-costs.ts'
import { worldSchema, type World } from '#src/exchange/world-file.ts'
import { atomDigits, oneUnit, parseAtoms, parseSignedAtoms } from '#src/core/money/atoms.ts'
import { isDecimalText, signedPattern } from '#src/core/money/decimal-text.ts'
import { readYaml } from '#src/core/yaml/yaml-file.ts'
import type { BacktestInput } from '#src/research/backtest/result/result.ts'

const packagedWorld = fileURLToPath(new URL('../../../config/exchange.yaml', import.meta.url))
const trader = 'paper'

/** The account of a backtest and its keys: one for the bot, one for reading the account. */
export const account = {
  name: trader,
  trading: { key: 'trading-key', secret: 'trading-secret' },
  looking: { key: 'looking-key', secret: 'looking-secret' },
}

let packaged: World | undefined

/** Whether positions of the market pay funding. */
export function isPerpetual(symbol: string): boolean {
  const { markets } = (packaged ??= readYaml(packagedWorld, worldSchema, { confidential: true }))
  return Object.hasOwn(markets, symbol) && markets[symbol]?.kind === 'futures'
}

/** The packaged world with only these markets, and one account with the given balance. */
export function worldOf(
  symbols: readonly string[],
  { balance, costs = {}, fees, leverage }: Pick<BacktestInput, 'balance' | 'costs' | 'fees' | 'leverage'>,
): World {
  const world = withCosts((packaged ??= readYaml(packagedWorld, worldSchema, { confidential: true })), costs)
  const markets = symbols.map((symbol) => {
    const rules = world.markets[symbol]
    // A fee of the command line holds for every volume.
    const own = rules && fees && { ...feesOf(fees, rules), feeTiers: undefined }
    if (rules !== undefined) return [symbol, { ...rules, ...own }] as const
    throw new BotError('STRATEGY_INVALID', {
      seen: `the strategy trades ${symbol}, and the packaged markets are ${Object.keys(world.markets).join(', ')}`,
    })
  })
  const owner = world.accounts[trader]
  if (!owner) throw new RangeError(`the packaged world has no account ${trader}`)
  const monies = new Set(markets.map(([, { money }]) => money))
  const collateral = balance === undefined ? owner.collateral : given(balance, monies)
  const permissions = owner.keys[0]?.permissions ?? []
  const keys = [account.trading, account.looking].map(({ key, secret }) => ({ key, secret, permissions }))
  // Mining rewards and transfers would look like a profit.
  const idle = { mining: [], deposits: [], withdrawals: [], subAccounts: [], webhook: undefined }
  return {
    ...world,
    // Only for accounts that trade with each other: here the price is recorded, and one account trades.
    shortfalls: undefined,
    markets: Object.fromEntries(markets),
    accounts: { [trader]: { ...owner, ...idle, ...(leverage && { leverage }), keys, collateral } },
  }
}

function given(balance: string, monies: ReadonlySet<string>): Record<string, bigint> {
  if (!isDecimalText(balance) || parseAtoms(balance) === 0n) {
    throw new BotError('USAGE', {
      seen: `"${balance.slice(0, 40)}" is not a balance`,
      fix: 'Write a plain decimal number above 0, such as --balance 10000',
    })
  }
  return Object.fromEntries([...monies].map((money) => [money, parseAtoms(balance)]))
}

function feesOf(
  { maker, taker }: NonNullable<BacktestInput['fees']>,
  { priceDigits, amountDigits }: World['markets'][string],
): { makerFee: bigint; takerFee: bigint } {
  const digits = atomDigits - priceDigits - amountDigits
  const unit = 10n ** BigInt(atomDigits - digits)
  const [makerFee, takerFee] = [maker, taker].map((text) => {
    const rate = signedPattern.test(text) ? parseSignedAtoms(text) : oneUnit
    if (rate < oneUnit && rate > -oneUnit && rate % unit === 0n) return rate
    throw new BotError('USAGE', {
      seen: `"${text.slice(0, 40)}" is not a fee`,
      fix: `Write shares of the money with at most ${digits} decimals, maker and taker: --fees 0.0002,0.0005`,
    })
  })
  return { makerFee: makerFee ?? 0n, takerFee: takerFee ?? 0n }
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freeBalance } from '#src/exchange/ledger/free-balance.ts'
import { balanceOf, move } from '#src/exchange/ledger/ledger.ts'
import { settleFunding } from '#src/exchange/trading/positions/funding.ts'
import { openTrading } from '#test/exchange/trading/trading-fixture.ts'
import { runs } from '#test/properties/runs.ts'
import { broken } from './trading-rules.ts'

/**
 * Three accounts of one person trade with each other, and nobody else does. Whatever they do, all they have together is
 * what they deposited: the sums are those of this file.
 */
const names = ['ann', 'bob', 'eve'] as const
type Name = (typeof names)[number]
type Floor = ReturnType<typeof openTrading>
type Market = 'SOL_PERP' | 'ETH_PERP'

const one = 10n ** 18n
/** On the collateral account of each, and on its main account as in the packaged world. */
const deposit = 1000n
const main = 100_000n
const name = fc.constantFrom(...names)
const market = fc.constantFrom<Market>('SOL_PERP', 'SOL_PERP', 'ETH_PERP')
/** In tenths and cents: most are near 100, some are far away. */
const lots = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 3000 }))
const cents = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 9500, max: 10_500 }) },
  { weight: 2, arbitrary: fc.integer({ min: 3000, max: 30_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 1_000_000 }) },
)
const flags = fc.constantFrom({}, {}, {}, { ioc: true }, { reduceOnly: true }, { postOnly: true })
const price = (amount: number) => (amount / 100).toFixed(2)

/** A command: its words are reported with a failure. */
type Play = { words: string; run: (trading: Floor) => void }
/** In hedge mode `closes` names the position on the other side, which the order can only reduce, as calls check. */
function trade(trading: Floor, who: Name, text: string, closes: boolean, about: object): void {
  const { hedged } = trading.traderOf(who).collateral
  const side = text.startsWith('sell') === closes ? 'LONG' : 'SHORT'
  trading.order(who, text, { ...about, side, ...(hedged && closes && { reduceOnly: true }) })
}

const order: fc.Arbitrary<Play> = fc
  .tuple(name, fc.boolean(), lots, cents, market, flags, fc.integer({ min: 0, max: 9 }))
  .map(([who, sells, amount, at, where, how, kind]) => {
    const limit = kind === 0 ? 'market' : price(at)
    const text = `${sells ? 'sell' : 'buy'} ${(amount / 10).toFixed(1)} at ${limit}`
    return {
      words: `${who}: ${text} ${where} ${Object.keys(how).join('')} ${kind}`,
      run: (trading) => trade(trading, who, text, kind < 4, { market: where, ...how }),
    }
  })
/** One sells to the other, wherever they want: what moves a price in a thin market. */
const meeting: fc.Arbitrary<Play> = fc
  .tuple(name, name, lots, cents, market, fc.constantFrom('opens', 'buyer closes', 'seller closes', 'closes'))
  .map(([buyer, seller, amount, at, where, how]) => {
    const what = `${(amount / 10).toFixed(1)} at ${price(at)}`
    return {
      words: `${buyer} from ${seller}: ${what} ${where} ${how}`,
      run: (trading) => {
        trade(trading, buyer, `buy ${what}`, how === 'closes' || how === 'buyer closes', { market: where })
        trade(trading, seller, `sell ${what}`, how.startsWith('seller') || how === 'closes', {
          market: where,
        })
      },
    }
  })
const cancel: fc.Arbitrary<Play> = fc.tuple(name, fc.nat(3)).map(([who, which]) => ({
  words: `${who}: cancel ${which}`,
  run: (trading) => {
    const { orders } = trading.state
    let row = trading.traderOf(who).oldest
    for (let count = 0; count < which && row !== 0; count++) row = orders.newer[row] ?? 0
    if (row !== 0) trading.cancel(orders.id[row] ?? 0)
  },
}))
const leverage: fc.Arbitrary<Play> = fc
  .tuple(name, fc.constantFrom(1, 2, 5, 10, 20, 50, 100))
  .map(([who, times]) => ({
    words: `${who}: leverage ${times}`,
    run: (trading) => {
      trading.traderOf(who).collateral.leverage = times
    },
  }))
const funding: fc.Arbitrary<Play> = fc.constant({
  words: 'funding',
  run: (trading: Floor) => {
    settleFunding(trading.trading, trading.state.fundingAt)
    trading.react()
  },
})
/** An index jumps: from then on no trade moves the mark price of that market. */
const jump: fc.Arbitrary<Play> = fc.tuple(cents, market).map(([to, where]) => ({
  words: `${where} jumps to ${price(to)}`,
  run: (trading) => trading.mark(price(to), where),
}))
/** Takes all that can be taken out of the collateral account. */
const withdrawal: fc.Arbitrary<Play> = name.map((who) => ({
  words: `${who}: withdraw`,
  run: (trading) => {
    const trader = trading.traderOf(who)
    const account = trading.state.accounts.get(who)
    const free = account ? freeBalance(trading.trading, account, 'collateral', 'USDT') : 0n
    move(trading.state.ledger, trader.wallets.collateral, trader.wallets.main, 'USDT', free)
  },
}))
const play = fc.oneof(
  { weight: 6, arbitrary: meeting },
  { weight: 6, arbitrary: order },
  { weight: 1, arbitrary: cancel },
  { weight: 1, arbitrary: leverage },
  { weight: 1, arbitrary: funding },
  { weight: 1, arbitrary: jump },
  { weight: 1, arbitrary: withdrawal },
)

function units(text: string): bigint {
  const [, minus, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const size = BigInt(whole + fraction.padEnd(18, '0'))
  return minus === '-' ? -size : size
}

/** The money of an account with the profit of its positions at the mark price, in this file's own arithmetic. */
function worthOf(trading: Floor, who: Name | 'insurance'): bigint {
  const { collateral, wallets } = trading.traderOf(who)
  const { ledger } = trading.state
  let worth = balanceOf(ledger, wallets.collateral, 'USDT') - (collateral.owed.get('USDT') ?? 0n)
  for (const { market: number, lots: held, cost } of collateral.open) {
    const digits = trading.trading.markets[number]?.rules ?? { priceDigits: 0, amountDigits: 0 }
    const unit = one / 10n ** BigInt(digits.priceDigits + digits.amountDigits)
    const now = BigInt(held) * BigInt(trading.state.markets[number]?.mark ?? 0) * unit
    worth += held > 0 ? now - cost : now + cost
  }
  return worth
}

function complaints(trading: Floor, together: bigint, quotes: boolean): string[] {
  const found = broken(trading.trading)
  const worths = names.map((who) => worthOf(trading, who))
  const taken = names.reduce((sum, who) => sum + units(trading.money(`main/${who}`)), 0n)
  const paid = units(trading.money('fees')) + units(trading.money('insurance'))
  for (const [index, worth] of worths.entries()) if (worth < 0n) found.push(`${names[index]} has ${worth}`)
  // What the house wins or loses with its quotes is not minted.
  const sum = worths.reduce((all, worth) => all + worth, quotes ? worthOf(trading, 'insurance') : 0n)
  if (sum + taken + paid !== together)
    found.push(`together they have ${sum + taken}, and paid ${paid}, of ${together}`)
  if (units(trading.money('insurance')) < 0n) found.push(`the insurance has ${trading.money('insurance')}`)
  if (quotes) return found
  if (units(trading.money('house')) < 0n) found.push(`the house has ${trading.money('house')}`)
  if (trading.positions('insurance').length > 0) found.push('the house has a position')
  return found
}

/** The house offers 20 on both sides, 1 % from the mark price, and takes its older quotes back. */
function quote(trading: Floor): void {
  const { orders, markets } = trading.state
  const house = trading.traderOf('insurance')
  while (house.oldest !== 0) trading.cancel(orders.id[house.oldest] ?? 0)
  const { number } = trading.marketOf('SOL_PERP')
  const mark = markets[number]?.mark ?? 0
  if (mark < 200) return
  trading.order('insurance', `buy 20 at ${price(mark - Math.ceil(mark / 100))}`, { postOnly: true })
  trading.order('insurance', `sell 20 at ${price(mark + Math.ceil(mark / 100))}`, { postOnly: true })
}

/** Small, so that positions of this file reach all of them. */
const brackets = [
  { notional: 500n * one, maxLeverage: 100, maintenance: one / 250n },
  { notional: 2000n * one, maxLeverage: 50, maintenance: one / 100n },
  { notional: 20_000n * one, maxLeverage: 10, maintenance: one / 20n },
]

/** With `quotes` the house quotes around the mark price, as the market maker of a simulated market does. */
const world = fc.record({
  fees: fc.boolean(),
  hedged: fc.boolean(),
  bracketed: fc.boolean(),
  quotes: fc.boolean(),
})

test('three accounts that trade with each other alone never have more than they deposited', () => {
  fc.assert(
    fc.property(fc.array(play, { minLength: 5, maxLength: 60, size: 'max' }), world, (plays, about) => {
      const trading = openTrading({
        fees: about.fees,
        collateral: Object.fromEntries(names.map((who) => [who, String(deposit)])),
        leverage: { ann: 10, bob: 100, eve: 20 },
        shortfalls: 'deleverage',
        brackets: about.bracketed ? brackets : undefined,
      })
      for (const who of names) trading.traderOf(who).collateral.hedged = about.hedged
      for (const [index, next] of plays.entries()) {
        if (about.quotes) quote(trading)
        next.run(trading)
        const found = complaints(trading, 3n * (deposit + main) * one, about.quotes)
        const done = plays.slice(0, index + 1).map(({ words }) => words)
        expect(found, [JSON.stringify(about), ...done].join(', ')).toEqual([])
      }
    }),
    runs(300, 8000, 100),
  )
})

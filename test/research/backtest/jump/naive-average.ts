import {
  TraderAccount,
  outcomeOf,
  type TraderOutcome,
  type TraderPoint,
  type TraderRules,
} from './naive-trader.ts'

/**
 * Buys below the close of the last minute, each so many thousandths lower than the one before it. When the price is so
 * many thousandths above the average, it sells all at the market, cancels the open orders, and begins again.
 */
export function average(
  points: readonly TraderPoint[],
  rules: TraderRules,
  plan: { first: bigint; apart: bigint; levels: number; quanta: bigint; gain: bigint; from: number },
): TraderOutcome {
  const account = new TraderAccount(rules)
  const { first, apart, levels, quanta, gain, from } = plan
  let bought = 0n
  const begin = (close: bigint, now: bigint, at: number) => {
    // Where levels still have orders, all that is sent waits for two requests: one cancels these orders, one reads their
    // fills. Levels that have none leave first, and then the others wait for their answer as well.
    const waits = new Set(account.orders.map(({ name }) => name))
    const requestsBefore = (level: number) => {
      if (waits.size === 0) return 0
      return waits.size < levels && waits.has(String(level)) ? 3 : 2
    }
    account.orders = []
    bought = 0n
    for (let level = 0; level < levels; level++) {
      const ticks = (close * (1000n - first - apart * BigInt(level))) / 1000n
      const lots = quanta / ticks
      // A bid at the ask, a tick above the last price, fills at once.
      const laidAt = at + requestsBefore(level) * rules.latencyMs
      if (ticks > now) {
        account.trade(laidAt + rules.latencyMs, false, now + 1n, lots, false)
        bought += (now + 1n) * lots
      } else account.place(String(level), false, ticks, lots, laidAt)
    }
  }
  const closeBefore = (at: number) => points.findLast((point) => point.at < at - (at % 60_000))?.ticks ?? 0n
  const endsAt = points.at(-1)?.at ?? 0
  begin(closeBefore(from), closeBefore(from), from)
  for (const point of points) {
    const before = account.fills.length
    account.meet(point)
    for (const { price, amount } of account.fills.slice(before))
      bought += units(price, rules.priceDigits) * units(amount, rules.amountDigits)
    // What is too small to be sold waits for more.
    if (account.lots * point.ticks < rules.least || account.lots === 0n) continue
    const target = (bought * (1000n + gain) + account.lots * 1000n - 1n) / (account.lots * 1000n)
    if (point.ticks < target) continue
    const soldAt = point.at + rules.latencyMs
    // What would be there only after the market has ended is not there.
    if (soldAt > endsAt) break
    account.trade(soldAt, true, point.ticks, account.lots, false)
    // A minute may have closed on the way.
    begin(closeBefore(soldAt), point.ticks, soldAt)
  }
  return outcomeOf(account, points, rules)
}

function units(value: string, digits: number): bigint {
  const [whole = '', part = ''] = value.split('.')
  return BigInt(whole + part.padEnd(digits, '0'))
}

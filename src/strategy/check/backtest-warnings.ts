import { everyProgram, type Programs } from '#src/strategy/expressions/programs.ts'
import { reads } from '#src/strategy/expressions/reads.ts'
import type { StrategyFault } from '#src/strategy/file/strategy-fault.ts'
import type { Strategy } from '#src/strategy/schema/strategy-schema.ts'

/** Values that a backtest over prices alone does not have. */
export function backtestWarnings({ futures, depth, trades }: Strategy, programs: Programs): StrategyFault[] {
  const { calls } = reads(everyProgram(programs), programs.lets)
  // Prices and funding rates say nothing about it.
  const feeds = Object.keys(futures).filter((feed) =>
    calls.some(({ name, of }) => of === feed && name === 'open_interest'),
  )
  const isRead = (feed: string) => calls.some(({ of }) => of === feed)
  const onPaper = 'pass such a file to the backtest, or judge the rules that need it on paper or live'
  const withTrades =
    'use a market file of trades with their sides, or judge the rules that need it on paper or live'
  type Message = [feed: string, message: string, hint: string]
  const messages: Message[] = [
    ...feeds.map((feed): Message => [
      feed,
      `open_interest(${feed}) is unknown in a backtest without --futures FILE: market files have no open interest`,
      onPaper,
    ]),
    ...Object.keys(depth)
      .filter(isRead)
      .map((feed): Message => [
        feed,
        `the values of ${feed} are unknown in a backtest without --depth FILE, and rules that need them do not act: ` +
          'market files have no order book',
        onPaper,
      ]),
    ...Object.keys(trades)
      .filter(isRead)
      .map((feed): Message => [
        feed,
        `the values of ${feed} are unknown in a backtest over bars: only a file of trades has them, ` +
          'and volumes by side need the side of each trade',
        withTrades,
      ]),
  ]
  return messages.map(([feed, message, hint]) => ({ path: ['feeds', feed], onKey: true, message, hint }))
}

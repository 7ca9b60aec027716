import type { CostsByMarket } from '#src/exchange/world-costs.ts'
import { fundingTexts } from './funding-texts.ts'
import { ladderTexts } from './ladder-assumptions.ts'
import type { BacktestInput, BacktestResult, FillModel } from './result.ts'
import type { Scenario } from '#src/research/backtest/scenario.ts'

const fillWords: Record<FillModel, string> = {
  touch: 'An order fills as soon as a trade is at its price or beyond it.',
  through: 'An order fills only when a trade is beyond its price: at its price other orders have priority.',
  queue: 'An order fills when a trade is beyond its price, or when the queue ahead of it has traded.',
}

function gapTexts(symbol: string, gaps: number): string[] {
  if (gaps === 0) return []
  const known = 'nothing trades, no candle closes, and earlier values become stale as in live trading.'
  return [`${symbol} has ${gaps === 1 ? '1 gap: in it' : `${gaps} gaps: in them`} ${known}`]
}

function feeText({ maker, taker }: { maker: string; taker: string }): string {
  return `Makers ${rateText(maker)} of the notional of a fill, takers ${rateText(taker)}.`
}

/** With the keys that the venue file states. */
function costsText(costs: CostsByMarket): string {
  const stated = Object.entries(costs).map(([market, each]) => `${market} (${Object.keys(each).join(', ')})`)
  return `Fees and rules of the venue file hold for ${stated.join(', ')}; all others are those of the packaged markets.`
}

function rateText(rate: string): string {
  return rate.startsWith('-') ? `receive a rebate of ${rate.slice(1)}` : `pay ${rate}`
}

type Played = Pick<
  BacktestInput,
  'fill' | 'latencyMs' | 'signals' | 'depth' | 'futures' | 'costs' | 'fees' | 'leverage' | 'balance'
> &
  Pick<Scenario, 'strategies' | 'markets' | 'funding' | 'from' | 'to'>

/** The assumptions of a result, in words. */
export function assumptionsOf(played: Played): BacktestResult['assumptions'] {
  const { fill, latencyMs, signals, depth, futures, costs, fees, leverage, balance, markets } = played
  const kinds = new Set([...markets.values()].map(({ kind }) => kind))
  return [
    fillWords[fill],
    'A resting order fills at its own price, for the maker fee.',
    'All orders together fill at most the recorded amount of a trade or a line; without a recorded amount they fill completely.',
    ...(kinds.has('bars')
      ? [
          'Inside a bar the price moves in straight lines over time: from the open to the nearer of high and low after a ' +
            'quarter of it, to the other one after three quarters, and to the close 1 ms before its end. Only an open jumps.',
          'A quarter of the volume of a bar trades at its open, and a quarter on each line.',
        ]
      : []),
    ...[...markets].flatMap(([symbol, { seen }]) => gapTexts(symbol, seen?.gaps ?? 0)),
    `Every request takes ${latencyMs} ms to the venue; prices arrive without latency.`,
    ...(depth?.size ? ['Feeds of depth read the last order book of each second of their file.'] : []),
    ...(futures?.size ? ['Feeds of futures read the rows of their file at each multiple of 10 s.'] : []),
    ...(signals ? ['Signals arrive at the times of their file, without latency.'] : []),
    ...(costs ? [costsText(costs)] : []),
    ...(fees ? [feeText(fees)] : costs ? [] : ['Fees are those of the packaged markets.']),
    `The leverage of the account is ${leverage ?? 1}. The venue refuses orders without margin and liquidates.`,
    `The account starts with ${balance ?? 'the balance of the packaged world'}, and orders of the bot move no price.`,
    'Rules, ladders and waits are evaluated each second, as in live trading; an exit acts when the price reaches it.',
    'The mark price is the last price.',
    ...fundingTexts(played),
    'A taker order sells at the last price and buys one tick above it, in any amount, for the taker fee.',
    ...ladderTexts(played.strategies),
  ]
}

import { fundingTexts } from './funding-words.ts'
import type { BacktestInput, BacktestResult, FillModel } from './result.ts'
import type { Scene } from './scene.ts'

const fillWords: Record<FillModel, string> = {
  touch: 'An order fills as soon as a trade is at its price or beyond it.',
  through: 'An order fills only when a trade is beyond its price: at its price others are served first.',
  queue:
    'An order fills when a trade is beyond its price, or when those who stood there before it are served.',
}

function gapTexts(symbol: string, gaps: number): string[] {
  if (gaps === 0) return []
  const known =
    'nothing trades, no candle closes, and what was known before becomes too old as it would live.'
  return [`${symbol} has ${gaps === 1 ? '1 gap: in it' : `${gaps} gaps: in them`} ${known}`]
}

function feeText({ maker, taker }: { maker: string; taker: string }): string {
  return `Makers ${rateText(maker)} of the money of a fill, takers ${rateText(taker)} of it.`
}

function rateText(rate: string): string {
  return rate.startsWith('-') ? `receive a rebate of ${rate.slice(1)}` : `pay ${rate}`
}

type Played = Pick<BacktestInput, 'fill' | 'latencyMs' | 'fees' | 'leverage' | 'balance'> &
  Pick<Scene, 'markets' | 'funding' | 'from' | 'to'>

/** What the numbers of a result rest on, in words. */
export function assumptionsOf(played: Played): BacktestResult['assumptions'] {
  const { fill, latencyMs, fees, leverage, balance, markets } = played
  const kinds = new Set([...markets.values()].map(({ kind }) => kind))
  return [
    fillWords[fill],
    'No order fills for more than the recorded amount at that point; where none was recorded, it fills whole.',
    ...(kinds.has('bars')
      ? ['A bar is walked as its open, the nearer of its high and low, the other one, and its close.']
      : []),
    ...[...markets].flatMap(([symbol, { seen }]) => gapTexts(symbol, seen?.gaps ?? 0)),
    `Every request takes ${latencyMs} ms to the venue, and prices are known at once.`,
    fees ? feeText(fees) : 'Fees are those of the packaged markets.',
    `The leverage of the account is ${leverage ?? 1}. The venue refuses orders without margin and liquidates.`,
    `The account begins with ${balance ?? 'the money of the packaged world'}, and our orders move no price.`,
    'Rules, ladders and waits are evaluated each second, as live; an exit acts with the price that reaches it.',
    'Mark prices are the last ones.',
    ...fundingTexts(played),
    'Who takes finds the recorded price and one tick beside it, in any amount.',
  ]
}

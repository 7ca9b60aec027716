import type { Chance } from '#test/fuzz/chance.ts'
import { quoted, type PricedMarket, type RandomExpressions } from './random-expression.ts'

/** What the exits of a ladder depend on. */
type Ladder = { hasMirror: boolean; hasUnit: boolean; market: PricedMarket }

/** The exits of a ladder, by chance; empty without any. */
export function randomExit({ oneOf, percent }: Chance, says: RandomExpressions, ladder: Ladder): string {
  const { hasMirror, hasUnit, market } = ladder
  const parts: string[] = []
  if (hasMirror) parts.push('mirror: 1')
  else if (percent(55))
    parts.push(
      oneOf([
        `tp: { pct: ${oneOf(['0.05%', '0.2%'])} }`,
        'tp: { pct: 0.1%, split: [0.5, 0.5], gap: 0.1% }',
        'tp: { pct: 0.1%, mode: resting }',
        'tp: { pct: 0.1%, split: [0.4, 0.3, 0.3], gap: 0.05%, mode: resting }',
      ]),
    )
  if (!hasMirror && percent(20)) parts.push(`at: ${quoted(says.scaled(says.price(market), market.price))}`)
  if (percent(25)) parts.push(`stop: { pct: ${oneOf(['0.1%', '0.4%'])} }`)
  if (hasUnit && percent(60))
    parts.push(`trail: { activate: ${oneOf(['0.5 x unit', '1.5 x unit', '0.1%'])}, retrace: 0.5 x unit }`)
  else if (percent(20))
    parts.push(`trail: { activate: ${oneOf(['0%', '0.1%', '0.3%'])}, retrace: ${oneOf(['0.05%', '0.2%'])} }`)
  if (percent(20))
    parts.push(`break_even: { activate: ${oneOf(['0.1%', '0.3%'])}, at: ${oneOf(['0%', '0.05%'])} }`)
  if (percent(25)) parts.push(`max_age: ${oneOf(['20s', '95s', '3m'])}`)
  if (parts.some((part) => /^(?:stop|trail|break_even|max_age)/.test(part)) && percent(40))
    parts.push(`cooldown: ${oneOf(['7s', '50s', '3m'])}`)
  return parts.length > 0 ? `, exit: { ${parts.join(', ')} }` : ''
}

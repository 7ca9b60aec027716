import {
  countFigure,
  durationText,
  moneyFigure,
  percentFigure,
  ratioFigure,
  ratioText,
  timeText,
  type NamedFigure,
} from './figures.ts'
import type { BacktestResult } from './result.ts'

/** Round trips, yearly figures and days, each with its meaning; none for a result of an older version. */
export function measuresOf({ summary }: BacktestResult): NamedFigure[] {
  const { roundTrips, winRate = null, profitFactor = null, expectancy = null, cagr = null } = summary
  const { calmar = null, buyAndHold = '0', longestDrawdownMs = 0 } = summary
  if (roundTrips === undefined) return []
  const noTrip = summary.liquidations > 0 ? 'not computed: a position was liquidated' : 'no round trip'
  const noYear = 'the equity is below zero'
  const lossless = roundTrips > 0 && summary.liquidations === 0 ? 'no round trip with a loss' : noTrip
  return [
    {
      name: 'buy and hold',
      ...moneyFigure(buyAndHold),
      about: 'profit of holding the markets from the begin, without fees',
    },
    { name: 'round trips', ...countFigure(roundTrips), about: 'amounts opened and closed completely' },
    {
      name: 'win rate',
      ...percentFigure(winRate),
      about: winRate === null ? noTrip : 'of the round trips had a profit after fees',
    },
    {
      name: 'profit factor',
      ...ratioFigure(profitFactor),
      about: profitFactor === null ? lossless : 'profits of round trips / losses of round trips',
    },
    {
      name: 'expectancy',
      ...(expectancy === null ? ratioFigure(null) : moneyFigure(expectancy)),
      about: expectancy === null ? noTrip : 'mean profit of a round trip after fees',
    },
    {
      name: 'CAGR',
      ...percentFigure(cagr),
      about: ratioText(summary, cagr, { otherwise: noYear, basis: 'return of a year at this rate' }),
    },
    {
      name: 'Calmar ratio',
      ...ratioFigure(calmar),
      about: ratioText(summary, calmar, {
        otherwise: cagr === null ? noYear : 'no drawdown',
        basis: 'CAGR / maximum drawdown in percent',
      }),
    },
    {
      name: 'longest drawdown',
      exact: longestDrawdownMs,
      text: longestDrawdownMs === 0 ? 'none' : durationText(longestDrawdownMs),
      about: 'from a highest equity until it is reached again, or to the end',
    },
    dayFigure('best day', summary.bestDay, summary.bestDayAt),
    dayFigure('worst day', summary.worstDay, summary.worstDayAt),
  ]
}

function dayFigure(name: string, gain: number | null = null, at: number | null = null): NamedFigure {
  return {
    name,
    ...percentFigure(gain),
    about: at === null ? 'no whole day' : `from ${timeText(at)}, 24 hours`,
  }
}

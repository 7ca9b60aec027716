/** The measures by which a sweep can rank its variants. */
export const measureNames = {
  profit: 'net profit',
  calmar: 'profit per unit of drawdown',
  sharpe: 'Sharpe ratio',
  sortino: 'Sortino ratio',
  drawdown: 'maximum drawdown',
}
export type RankMeasure = keyof typeof measureNames

/** Such as "net profit and maximum drawdown". */
export function measuresText(by: readonly RankMeasure[]): string {
  return by.map((each) => measureNames[each]).join(' and ')
}

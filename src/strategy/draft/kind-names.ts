/** Alone, because the command line is read by them before anything is counted. */
export const kindNames = ['grid', 'dip', 'dca', 'market-making'] as const
export type KindName = (typeof kindNames)[number]

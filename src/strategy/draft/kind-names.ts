/** Separate, because the command line reads these names before it loads anything else. */
export const kindNames = ['grid', 'dip', 'dca', 'market-making'] as const
export type KindName = (typeof kindNames)[number]

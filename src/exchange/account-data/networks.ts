/** Networks for deposits and withdrawals. */
export const networks = ['BTC', 'LN', 'ERC20', 'TRC20', 'SOL'] as const
export type Network = (typeof networks)[number]

/** Where currencies can be sent to and come from. */
export const networks = ['BTC', 'LN', 'ERC20', 'TRC20', 'SOL'] as const
export type Network = (typeof networks)[number]

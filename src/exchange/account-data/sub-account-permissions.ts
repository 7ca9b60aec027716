import type { VenueContext } from '#src/exchange/venue-context.ts'

/** Whether an account may trade with one of its balances: its owner can bar a sub-account. */
export function mayTrade(
  { owners, state }: VenueContext,
  account: string,
  wallet: 'spot' | 'collateral',
): boolean {
  const owned = owners.get(account)
  const permissions = owned && state.accounts.get(owned.owner)?.subAccounts.get(owned.id)
  if (permissions === undefined) return true
  return wallet === 'spot' ? permissions.spotEnabled : permissions.collateralEnabled
}

import { invalid } from '#src/contract/refusals.ts'
import { Refused, type Handler } from '../venue.ts'

export const editSubAccount: Handler<'editSubAccount'> = ({
  account,
  parameters: { id, alias, permissions },
}) => {
  const subAccount = account.subAccounts.get(id)
  if (subAccount === undefined) return new Refused(invalid({ id: ['Sub-account not found.'] }))
  for (const [otherId, other] of account.subAccounts) {
    if (otherId !== id && other.alias === alias)
      return new Refused(invalid({ alias: ['Alias already exists.'] }))
  }
  account.subAccounts.set(id, { ...subAccount, alias, ...permissions })
  return {}
}

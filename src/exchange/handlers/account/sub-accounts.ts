import type { AnswerOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { invalidField } from '#src/exchange/handlers/refused-field.ts'
import { contract, type Contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import type { SubAccount } from '#src/exchange/account-data/account-data.ts'
import { caps } from '#src/exchange/caps.ts'
import { balanceOf, move, type LedgerHolder } from '#src/exchange/ledger/ledger.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { drawUuid, type ExchangeAccount } from '#src/exchange/state.ts'
import type { Handler, VenueContext } from '#src/exchange/venue-context.ts'
import { refusedAmount } from './transfers.ts'

const notFound = () => invalidField('id', 'Sub-account not found.')

export const editSubAccount: Handler<'editSubAccount'> = ({
  account,
  parameters: { id, alias, permissions },
}) => {
  const subAccount = account.subAccounts.get(id)
  if (subAccount === undefined) return notFound()
  if (isTaken(account, alias, id)) return invalidField('alias', 'Alias already exists.')
  account.subAccounts.set(id, { ...subAccount, alias, ...permissions })
  return {}
}

/** Whether another sub-account than `self` has this alias. */
function isTaken({ subAccounts }: ExchangeAccount, alias: string, self?: string): boolean {
  return [...subAccounts].some(([id, other]) => id !== self && other.alias === alias)
}

export const createSubAccount: Handler<'createSubAccount'> = ({ venue, account, parameters }) => {
  const { alias, email, shareKyc = false, permissions } = parameters
  if (isTaken(account, alias)) return invalidField('alias', 'Alias already exists.')
  if (email === undefined && !shareKyc) return invalidField('email', 'The email field is required.')
  if (account.subAccounts.size >= caps.subAccounts) {
    return invalidField('alias', `The account has ${caps.subAccounts} sub-accounts already.`)
  }
  const id = drawUuid(venue.state, account)
  const made = { alias, ...permissions, email, shareKyc }
  account.subAccounts.set(id, made)
  return shown(id, made)
}

export const subAccounts: Handler<'subAccounts'> = ({ account, parameters }) => {
  const { search = '' } = parameters
  const { limit, offset } = pageOf(contract.subAccounts, parameters)
  const data = [...account.subAccounts]
    .filter(([, { alias }]) => alias.toLowerCase().includes(search.toLowerCase()))
    .slice(offset, offset + limit)
    .map(([id, subAccount]) => shown(id, subAccount))
  return { offset, limit, data }
}

type Shown = AnswerOf<Contract['createSubAccount']>

/** A sub-account has one user, with the same id. */
function shown(id: string, { alias, email, shareKyc, spotEnabled, collateralEnabled }: SubAccount): Shown {
  return {
    id,
    alias,
    userId: id,
    email: email === undefined ? null : masked(email),
    status: 'active',
    color: '#808080',
    kyc: { shareKyc, kycStatus: shareKyc ? 'shared' : 'none' },
    permissions: { spotEnabled, collateralEnabled },
  }
}

/** `somebody@example.com` is shown as `s***@e***m`. */
function masked(email: string): string {
  return email.replace(/^(.).*@(.).*(.)$/, '$1***@$2***$3')
}

/** The account of the world file that a sub-account is. */
function accountOf({ world, state }: VenueContext, owner: ExchangeAccount, id: string) {
  const rules = world.accounts[owner.name]?.subAccounts.find((each) => each.id === id)
  return rules?.account === undefined ? undefined : state.accounts.get(rules.account)
}

/** Without an account, the main wallet of a sub-account is a ledger holder with the owner's name in it. */
function mainOf(venue: VenueContext, owner: ExchangeAccount, id: string): LedgerHolder {
  return accountOf(venue, owner, id)?.wallets.main ?? `main/${owner.name}/${id}`
}

export const subAccountTransfer: Handler<'subAccountTransfer'> = ({ venue, account, parameters }) => {
  const { id, direction, ticker } = parameters
  const { ledger } = venue.state
  if (!account.subAccounts.has(id)) return notFound()
  if (!Object.hasOwn(venue.world.assets, ticker)) {
    return invalidField('ticker', 'The selected ticker is invalid.')
  }
  const amount = parseAtoms(parameters.amount)
  const ends = [account.wallets.main, mainOf(venue, account, id)] as const
  const [from, to] = direction === 'main_to_sub' ? ends : ([ends[1], ends[0]] as const)
  const refused = refusedAmount(amount, balanceOf(ledger, from, ticker))
  if (refused) return refused
  move(ledger, from, to, ticker, amount)
  return {}
}

export const subAccountBalances: Handler<'subAccountBalances'> = ({ venue, account, parameters }) => {
  const { id, ticker } = parameters
  if (!account.subAccounts.has(id)) return notFound()
  if (ticker !== undefined && !Object.hasOwn(venue.world.assets, ticker)) {
    return invalidField('ticker', 'The selected ticker is invalid.')
  }
  const { ledger } = venue.state
  const wallets = accountOf(venue, account, id)?.wallets
  const held = (holder: LedgerHolder | undefined, asset: string) =>
    holder === undefined ? '0' : formatAtoms(balanceOf(ledger, holder, asset))
  return Object.fromEntries(
    (ticker === undefined ? Object.keys(venue.world.assets) : [ticker]).map((asset) => [
      asset,
      [
        {
          main: held(mainOf(venue, account, id), asset),
          spot: held(wallets?.spot, asset),
          collateral: held(wallets?.collateral, asset),
        },
      ],
    ]),
  )
}

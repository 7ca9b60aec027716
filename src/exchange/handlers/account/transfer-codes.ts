import { isSame } from '#src/venues/whitebit/contract/wire/signing.ts'
import { invalid } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { invalidField } from '#src/exchange/handlers/refused-field.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { formatAtoms, parseAtoms } from '#src/core/money/atoms.ts'
import { caps, keepNewest, makeRoom } from '#src/exchange/caps.ts'
import { balanceOf, move } from '#src/exchange/ledger/ledger.ts'
import { seconds } from '#src/exchange/time-units.ts'
import type { TransferCode } from '#src/exchange/account-data/account-data.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { drawUuid, type ExchangeState } from '#src/exchange/state.ts'
import { RefusedCall, type Handler } from '#src/exchange/venue-context.ts'

export const createCode: Handler<'createCode'> = ({ venue, account, parameters, now }) => {
  const { ticker, passphrase, description } = parameters
  const { state } = venue
  const amount = parseAtoms(parameters.amount)
  const wallet = account.wallets.main
  if (amount > balanceOf(state.ledger, wallet, ticker)) return notMade('Not enough balance.')
  if (!makeRoom(account.codes, caps.codes, ({ applied }) => applied))
    return notMade(`${caps.codes} codes have not been applied yet.`)
  move(state.ledger, wallet, 'codes', ticker, amount)
  const code = `${drawUuid(state, account)}${ticker}`
  const externalId = drawUuid(state, account)
  account.codes.set(code, {
    ticker,
    amount,
    externalId,
    at: now,
    applied: false,
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(description === undefined ? {} : { description }),
  })
  keepNewest(account.codeEvents, { at: now, kind: 'made', maker: account.name, code }, caps.records)
  return { code, message: 'Code was successfully created', external_id: externalId }
}

function notMade(text: string): RefusedCall {
  return new RefusedCall({ ...invalid({ amount: [text] }), status: 422, finerCode: 5 })
}

export const applyCode: Handler<'applyCode'> = ({ venue, account, parameters, now }) => {
  const { state } = venue
  const { code, passphrase } = parameters
  const found = findCode(state, code)
  // One message for both cases, so that a guess reveals nothing about codes without their passphrase.
  if (found === undefined || !isSame(found.made.passphrase ?? '', passphrase ?? '')) {
    return invalidField('code', 'Incorrect code or passphrase')
  }
  const { made, maker } = found
  if (made.applied) return invalidField('code', 'Code was already applied')
  made.applied = true
  move(state.ledger, 'codes', account.wallets.main, made.ticker, made.amount)
  keepNewest(account.codeEvents, { at: now, kind: 'applied', maker, code }, caps.records)
  return {
    message: 'Code was successfully applied',
    ticker: made.ticker,
    amount: formatAtoms(made.amount),
    external_id: made.externalId,
  }
}

function findCode({ accounts }: ExchangeState, code: string) {
  for (const { name, codes } of accounts.values()) {
    const made = codes.get(code)
    if (made !== undefined) return { made, maker: name }
  }
  return undefined
}

export const myCodes: Handler<'myCodes'> = ({ account, parameters }) => {
  const { limit, offset } = pageOf(contract.myCodes, parameters)
  const codes = [...account.codes].toReversed()
  const data = codes.slice(offset, offset + limit).map(([code, made]) => shown(code, made, made.at))
  return { total: codes.length, data, limit, offset }
}

export const codeHistory: Handler<'codeHistory'> = ({ venue, account, parameters }) => {
  const { limit, offset } = pageOf(contract.codeHistory, parameters)
  const known = account.codeEvents.toReversed().flatMap(({ at, kind, maker, code }) => {
    const made = venue.state.accounts.get(maker)?.codes.get(code)
    return made === undefined ? [] : shown(code, made, at, kind === 'made' ? '-' : '+')
  })
  return { total: known.length, data: known.slice(offset, offset + limit), limit, offset }
}

function shown(code: string, made: TransferCode, at: number, sign = '') {
  return {
    amount: `${sign}${formatAtoms(made.amount)}`,
    code,
    date: seconds(at),
    status: made.applied ? ('Activated' as const) : ('New' as const),
    ticker: made.ticker,
    external_id: made.externalId,
  }
}

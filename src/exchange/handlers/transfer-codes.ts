import { invalid } from '#src/contract/refusals.ts'
import { fitsDigits, parseAtoms } from '#src/money/atoms.ts'
import { balanceOf, move } from '../ledger.ts'
import { drawUuid, walletOf } from '../state.ts'
import { Refused, type Handler } from '../venue.ts'

export const createCode: Handler<'createCode'> = ({ venue, account, parameters }) => {
  const { ticker, passphrase, description } = parameters
  const { state } = venue
  if (!Object.hasOwn(venue.world.assets, ticker)) {
    return new Refused(invalid({ ticker: ['The selected ticker is invalid.'] }))
  }
  const amount = parseAtoms(parameters.amount)
  if (amount === 0n) return new Refused(invalid({ amount: ['The amount must be greater than 0.'] }))
  if (!fitsDigits(amount, 8))
    return new Refused(invalid({ amount: ['The amount may have at most 8 decimals.'] }))
  const wallet = walletOf(account, 'main')
  if (amount > balanceOf(state.ledger, wallet, ticker)) {
    return new Refused({ ...invalid({ amount: ['Not enough balance.'] }), status: 422, finerCode: 5 })
  }
  move(state.ledger, wallet, 'codes', ticker, amount)
  const code = `${drawUuid(state, account)}${ticker}`
  const externalId = drawUuid(state, account)
  account.codes.set(code, {
    ticker,
    amount,
    externalId,
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(description === undefined ? {} : { description }),
  })
  return { code, message: 'Code was successfully created', external_id: externalId }
}

import { noProblems, type Problems } from '#src/venues/whitebit/contract/wire/problems.ts'

import { fitsDigits, parseAtoms } from '#src/core/money/atoms.ts'
import type { HandlerCall, PrivateName } from '#src/exchange/venue-context.ts'

/**
 * Checks well-formed parameters that name nothing here or contradict another parameter. The exchange reports them
 * together with malformed parameters, since a refusal lists every invalid parameter (spec §7). What belongs to another
 * account does not exist.
 */
type Asked = HandlerCall<Record<string, unknown>>
/** Whether the value is valid; a string is the error message. */
type Check = (value: unknown, asked: Asked) => boolean | string

const ticker: Check = (value, { venue }) => Object.hasOwn(venue.world.assets, String(value))
const plan: Check = (value, { venue }) => venue.flexPlans.has(String(value))
const planId: Check = (value, { venue }) => venue.fixedPlans.has(String(value))
const investment: Check = (value, { account }) =>
  [...account.flexClosed, ...account.flex.values()].some(({ id }) => id === value)
const transaction: Check = (value, { account }) =>
  account.flexRecords.some(({ transactionId }) => transactionId === value)
const dateFrom: Check = (value, { parameters: { dateTo } }) =>
  dateTo === undefined || Number(value) <= Number(dateTo)
const codeAmount: Check = (value) => {
  const amount = parseAtoms(String(value))
  if (amount === 0n) return 'The amount must be greater than 0.'
  return fitsDigits(amount, 8) || 'The amount may have at most 8 decimals.'
}
const ofFlexRecords = { plan, investment, transaction, dateFrom }

const checks: Partial<Record<PrivateName, Record<string, Check>>> = {
  flexInvestments: { ticker, plan, investment },
  flexHistory: ofFlexRecords,
  flexPayments: ofFlexRecords,
  flexPlans: { ticker },
  fixedInterest: { planId, ticker },
  fixedPlans: { ticker },
  fixedInvestments: { ticker, id: (value, { account }) => account.fixed.has(String(value)) },
  createCode: { ticker, amount: codeAmount },
}

/** All problems of the parameters, those of form included. A malformed parameter is not looked up. */
export function parameterProblems(
  name: PrivateName,
  asked: Asked,
  misformed: Problems | undefined,
): Problems | undefined {
  const own = checks[name]
  if (own === undefined) return misformed
  const parameters = { ...asked.parameters }
  const problems = Object.assign(noProblems(), misformed)
  for (const key of Object.keys(problems)) delete parameters[key.split('.')[0] ?? key]
  for (const [parameter, check] of Object.entries(own)) {
    const value = parameters[parameter]
    const fits = value === undefined || check(value, { ...asked, parameters })
    if (fits !== true) problems[parameter] = [fits || `The selected ${parameter} is invalid.`]
  }
  return Object.keys(problems).length > 0 ? problems : undefined
}

import { invalid, invalidTrade, refusedInside } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { RefusedCall } from '#src/exchange/venue-context.ts'

/** Refuses a call because of one parameter. */
export function invalidField(name: string, problem: string): RefusedCall {
  return new RefusedCall(invalid({ [name]: [problem] }))
}

/** The same in the trading family. */
export function invalidTradeField(name: string, problem: string): RefusedCall {
  return new RefusedCall(invalidTrade({ [name]: [problem] }))
}

/** The same for a well-formed call, against the rules or the balance. */
export function refusedField(code: number, name: string, problem: string): RefusedCall {
  return new RefusedCall(refusedInside(code, { [name]: [problem] }))
}

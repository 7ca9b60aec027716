import { usualOf } from '#src/venues/whitebit/contract/endpoint.ts'
import { noProblems } from '#src/venues/whitebit/contract/wire/problems.ts'
import { incorrectTimestamp, invalid } from '#src/venues/whitebit/contract/wire/refusals.ts'
import { invalidField } from '#src/exchange/handlers/refused-field.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { formatUnits } from '#src/core/money/units.ts'
import { isAddress } from '#src/exchange/account-data/deposit-addresses.ts'
import { hashrateAt, pointsBetween } from '#src/exchange/account-data/hashrate.ts'
import type { Pool } from '#src/exchange/account-data/account-data.ts'
import { pageOf } from '#src/exchange/handlers/paging.ts'
import { seconds } from '#src/exchange/time-units.ts'
import { RefusedCall, type Handler } from '#src/exchange/venue-context.ts'

const noAccount = () => invalidField('user', 'Mining account not found.')
const daySeconds = 86_400
const rateDigits = 3

export const payoutDestination: Handler<'payoutDestination'> = ({ venue, account, parameters }) => {
  const { accountName, destination, address } = parameters
  const pool = account.pools.get(accountName)
  if (pool === undefined) return noAccount()
  if (address !== undefined && address !== '' && !isAddress(address, 'BTC')) {
    return invalidField('address', 'This is not a Bitcoin address.')
  }
  if (destination === 'main_balance') {
    pool.payout = { destination }
    return {
      payoutDestination: destination,
      ...(venue.profile === 'full' ? { externalAddress: null } : {}),
    }
  }
  if (address === undefined || address === '') {
    return invalidField('address', 'The address field is required for an external address.')
  }
  pool.payout = { destination, address }
  return { payoutDestination: destination, externalAddress: address }
}

export const workerHashrate: Handler<'workerHashrate'> = ({ account, parameters, now }) => {
  const pool = account.pools.get(parameters.account)
  if (pool === undefined) return noAccount()
  const workerRate = pool.workers.get(parameters.worker)
  if (workerRate === undefined) return invalidField('worker', 'Worker not found.')
  const { from, to } = rangeOf(parameters, now)
  const { interval = usualOf(contract.workerHashrate, 'interval') } = parameters
  const problems = noProblems()
  for (const name of ['from', 'to'] as const)
    if ((parameters[name] ?? 0) > seconds(now))
      problems[name] = [`The ${name} may not be after the current time.`]
  if (from > to) problems['from'] ??= ['The from may not be after the to.']
  if (Object.keys(problems).length > 0) return new RefusedCall(invalid(problems))
  const hashrates = pointsBetween(pool.beginsAt, from, to, interval).map((time) => ({
    time,
    hashrate: formatUnits(hashrateAt(parameters.worker, workerRate, time), rateDigits),
  }))
  return { data: { hashrates } }
}

export const accountHashrate: Handler<'accountHashrate'> = ({ venue, account, parameters, now }) => {
  const isFull = venue.profile === 'full'
  const pool = account.pools.get(parameters.account)
  if (pool === undefined) return isFull ? invalidField('account', 'Account not found') : noAccount()
  const { from, to } = rangeOf(parameters, now)
  const { interval = usualOf(contract.accountHashrate, 'interval') } = parameters
  if (from > to || to > seconds(now)) return new RefusedCall(incorrectTimestamp)
  const hashrate = pointsBetween(pool.beginsAt, from, to, interval).map((timestamp) => ({
    timestamp,
    hashrate: formatUnits(sumAt(pool, timestamp), rateDigits),
    rejectRate: isFull ? 0 : undefined,
  }))
  return { data: { account: parameters.account, hashrate } }
}

function sumAt(pool: Pool, time: number): number {
  let sum = 0
  for (const [worker, rate] of pool.workers) sum += hashrateAt(worker, rate, time)
  return sum
}

/** The requested range; by default the last 24 hours. */
function rangeOf(parameters: { from?: number | undefined; to?: number | undefined }, now: number) {
  const to = parameters.to ?? seconds(now)
  return { from: parameters.from ?? Math.max(0, to - daySeconds), to }
}

export const miningAccounts: Handler<'miningAccounts'> = ({ account, parameters }) => {
  const { limit, offset } = pageOf(contract.miningAccounts, parameters)
  const all = [...account.pools].map(([name, { beginsAt }]) => ({ name, createdAt: seconds(beginsAt) }))
  return { data: all.slice(offset, offset + limit), limit, offset }
}

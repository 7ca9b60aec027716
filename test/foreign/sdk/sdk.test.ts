import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startExchange } from '#test/cli/support/process.ts'
import { pythonOf, vendorSdk } from '#test/support/peers.ts'

/** The client knows these calls, and the exchange does not serve them. */
const unserved = [
  'collateral_trading.get_collateral_account_adl_quantile',
  'convert_estimate',
  'convert_history',
  'credit_line.get_credit_line_info',
  'deposit.create_new_address',
  'fees.get_fees',
  'mining_pool.create_mining_account',
  'mining_pool.create_mining_watcher_link',
  'mining_pool.get_mining_miner_info',
  'mining_pool.get_mining_payout_destination',
  'mining_pool.get_mining_rewards',
  'mining_pool.get_mining_worker_names',
  'mining_pool.list_mining_watcher_links',
  'public_api_v4.mining_pool_overview',
  'spot_trading.get_delisting_order_history',
  'sub_account.block_sub_account',
  'sub_account.delete_sub_account',
  'sub_account.get_sub_account_kyc_url',
  'sub_account.get_sub_account_transfer_history',
  'sub_account.list_unconfirmed_sub_account_withdrawals',
  'sub_account.unblock_sub_account',
  'sub_account_api_keys.list_sub_account_api_keys',
  'travel_rule.get_travel_rule_vasps',
  'withdraw.create_withdraw',
]

const isUnserved = (outcome: string) =>
  outcome.startsWith('refused with 404: ') && /does not exist/.test(outcome)

test("the vendor's own client for Python reads the answer to each call that the exchange serves", async ({
  skip,
}) => {
  skip(pythonOf() === undefined && !process.env['CI'], 'no python3 of version 3.11 or later was found')
  await using exchange = await startExchange([
    '--profile',
    'full',
    '--spelling',
    'camel',
    '--market',
    'seeded',
  ])
  const program = fileURLToPath(new URL('calls.py', import.meta.url))
  const lines = execFileSync(vendorSdk(), [program, exchange.url], { encoding: 'utf8' }).trim().split('\n')
  const calls = lines.map((line) => ({
    name: line.split(' ')[0] ?? '',
    outcome: line.slice(line.indexOf(' ') + 1),
  }))
  expect(calls.filter(({ outcome }) => outcome !== 'read' && !isUnserved(outcome))).toEqual([])
  const missing = calls.filter(({ outcome }) => outcome !== 'read').map(({ name }) => name)
  expect([...new Set(missing)].toSorted()).toEqual(unserved)
  expect(calls.length - missing.length).toBeGreaterThan(90)
})

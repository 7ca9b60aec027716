import { expect } from 'vitest'
import { beginsAtMs, type TestVenue } from '#test/support/venue.ts'
import { clause } from './clause.ts'
import { done, nowhere, refusesKeys, shown, subAccount, tronAddress as tron } from './reading.ts'
import { resources } from '#test/venues/whitebit/contract/spec/resources/resources.ts'
import { empty } from '#test/support/empty.ts'

const now = Math.floor(beginsAtMs / 1000)
const segwit = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const outside = { accountName: 'paper-pool', destination: 'external_address', address: segwit }
const worker = { account: 'paper-pool', worker: 'rig-1' }
const pool = { account: 'paper-pool' }
const intervals = { '5m': 300, '1h': 3600, '24h': 86_400 } as const
const edit = {
  id: subAccount,
  alias: 'hedge desk',
  permissions: { spotEnabled: true, collateralEnabled: false },
}

async function isIncorrect(venue: TestVenue, range: object) {
  const answer = await venue.signed('accountHashrate', { ...pool, ...range })
  expect([answer.status, answer.contentType], JSON.stringify(range)).toEqual([422, 'application/json'])
  expect(resources.timestampError.parse(JSON.parse(answer.body)).code).toBe(422)
}

/** §4.12 to §4.14 and §4.16: the mining pool and sub-accounts. */
export const mining = [
  clause('4.12', 'sets the destination and answers what it is now', async (venue) => {
    const call = venue.paper.payoutDestination({ accountName: 'paper-pool', destination: 'main_balance' })
    expect(await shown(venue, 'payoutDestination', call)).toEqual({ payoutDestination: 'main_balance' })
  }),
  clause('4.12', 'every usual form of a Bitcoin address will do', async (venue) => {
    const addresses = [
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      segwit,
      segwit.toUpperCase(),
      'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    ]
    for (const address of addresses) {
      const about = { accountName: 'paper-pool', destination: 'external_address', address } as const
      const answer = await shown(venue, 'payoutDestination', venue.paper.payoutDestination(about))
      expect(answer).toEqual({ payoutDestination: 'external_address', externalAddress: address })
    }
  }),
  clause('4.12', 'an external address is needed for that destination and has to be one', async (venue) => {
    const { address: _, ...without } = outside
    await refusesKeys(venue, 'payoutDestination', without, ['address'])
    const wrong = ['', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', `${segwit.slice(0, -1)}5`, 'tb1qx', tron, 7]
    for (const address of wrong)
      await refusesKeys(venue, 'payoutDestination', { ...outside, address }, ['address'])
  }),
  clause('4.12', 'destination is one of two words', async (venue) => {
    for (const destination of ['', 'main', 'MAIN_BALANCE', 7, null]) {
      await refusesKeys(venue, 'payoutDestination', { ...outside, destination }, ['destination'])
    }
    await refusesKeys(venue, 'payoutDestination', {}, ['accountName', 'destination'])
  }),
  clause('4.12', 'an account that is not yours is answered under user as not found', async (venue) => {
    const unknown = { ...outside, accountName: 'nobody' }
    const { errors } = await refusesKeys(venue, 'payoutDestination', unknown, ['user'])
    expect(errors).toEqual({ user: ['Mining account not found.'] })
    await refusesKeys(venue, 'payoutDestination', outside, ['user'], { as: 'rival' })
  }),
  ...Object.entries(intervals).flatMap(([interval, step]) => [
    clause('4.13', `interval ${interval} answers a point on every ${step} seconds`, async (venue) => {
      const range = { from: now - 5 * step, to: now }
      const given = resources.workerHashrate.parse(
        JSON.parse((await venue.signed('workerHashrate', { ...worker, interval, ...range })).body),
      )
      const times = given.data.hashrates.map(({ time }) => time)
      expect(times).toHaveLength(5)
      for (const [index, time] of times.entries()) {
        expect(time % step).toBe(0)
        if (index > 0) expect(time - (times[index - 1] ?? 0)).toBe(step)
      }
    }),
    clause('4.14', `interval ${interval} sums the workers on every ${step} seconds`, async (venue) => {
      const range = { interval, from: now - 2 * step, to: now }
      const answer = await venue.signed('accountHashrate', { ...pool, ...range })
      const { data } = resources.accountHashrate.parse(JSON.parse(answer.body))
      const single = await venue.signed('workerHashrate', { ...worker, ...range })
      const points = resources.workerHashrate.parse(JSON.parse(single.body)).data.hashrates
      expect(data.account).toBe('paper-pool')
      expect(data.hashrate).toEqual(points.map(({ time, hashrate }) => ({ timestamp: time, hashrate })))
    }),
  ]),
  clause('4.13', 'points lie between from and to, both included', async (venue) => {
    const hour = Math.floor(now / 3600) * 3600
    const about = { ...worker, interval: '1h', from: hour - 3600, to: hour } as const
    const { data } = await done(venue.paper.workerHashrate(about))
    expect(data.hashrates.map(({ time }) => time)).toEqual([hour - 3600, hour])
  }),
  clause('4.13', 'a moment after now, or a range that ends before it begins, is refused', async (venue) => {
    await refusesKeys(venue, 'workerHashrate', { ...worker, from: now + 1 }, ['from'])
    await refusesKeys(venue, 'workerHashrate', { ...worker, to: now + 1 }, ['to'])
    await refusesKeys(venue, 'workerHashrate', { ...worker, to: now + 90_000 }, ['to'])
    await refusesKeys(venue, 'workerHashrate', { ...worker, from: now + 1, to: now + 2 }, ['from', 'to'])
    await refusesKeys(venue, 'workerHashrate', { ...worker, from: 5, to: 4 }, ['from'])
    await done(venue.paper.workerHashrate({ ...worker, from: now, to: now }))
  }),
  clause('4.13', 'an account that is not yours is answered under user', async (venue) => {
    const error = await refusesKeys(venue, 'workerHashrate', { ...worker, account: 'nobody' }, ['user'])
    expect(error.errors['user']).toEqual(['Mining account not found.'])
    await refusesKeys(venue, 'workerHashrate', worker, ['user'], { as: 'rival' })
  }),
  clause('4.13', 'each field that does not fit is named', async (venue) => {
    await refusesKeys(venue, 'workerHashrate', {}, ['account', 'worker'])
    await refusesKeys(venue, 'workerHashrate', { ...worker, worker: 'nobody' }, ['worker'])
    const wrong = { interval: '2h', from: '1', to: -1 }
    for (const [key, value] of Object.entries(wrong)) {
      await refusesKeys(venue, 'workerHashrate', { ...worker, [key]: value }, [key])
    }
  }),
  clause('4.14', 'without a range it tells the last 24 hours, hour by hour', async (venue) => {
    const { data } = await shown(venue, 'accountHashrate', venue.paper.accountHashrate(pool))
    expect(data.hashrate).toHaveLength(24)
    for (const { timestamp } of data.hashrate) expect(timestamp).toBeGreaterThanOrEqual(now - 86_400)
  }),
  clause('4.14', 'a wrong range is an incorrect timestamp: code 422 and no errors member', async (venue) => {
    await isIncorrect(venue, { from: now + 1 })
    await isIncorrect(venue, { to: now + 1 })
    await isIncorrect(venue, { from: now, to: now - 1 })
    const refusal = await venue.paper.accountHashrate({ ...pool, from: now, to: now - 1 })
    expect(refusal).toMatchObject({ kind: 'refused', code: 422, errors: empty })
    await done(venue.paper.accountHashrate({ ...pool, from: now, to: now }))
  }),
  clause('4.14', 'each field that does not fit is named, and a foreign account is user', async (venue) => {
    await refusesKeys(venue, 'accountHashrate', {}, ['account'])
    const wrong = { interval: '2h', from: '1', to: -1 }
    for (const [key, value] of Object.entries(wrong)) {
      await refusesKeys(venue, 'accountHashrate', { ...pool, [key]: value }, [key])
    }
    await refusesKeys(venue, 'accountHashrate', { account: 'nobody' }, ['user'])
    await refusesKeys(venue, 'accountHashrate', pool, ['user'], { as: 'rival' })
  }),
  clause('4.16', 'renames the sub-account and sets what it may trade', async (venue) => {
    expect(await shown(venue, 'editSubAccount', venue.paper.editSubAccount(edit))).toEqual({})
    expect(venue.exchange.state.accounts.get('paper')?.subAccounts.get(subAccount)).toMatchObject({
      alias: 'hedge desk',
      spotEnabled: true,
      collateralEnabled: false,
    })
  }),
  clause('4.16', 'id, alias and both permissions are needed', async (venue) => {
    await refusesKeys(venue, 'editSubAccount', {}, ['id', 'alias', 'permissions'])
    await refusesKeys(venue, 'editSubAccount', { ...edit, permissions: {} }, [
      'permissions.spotEnabled',
      'permissions.collateralEnabled',
    ])
  }),
  clause('4.16', 'each field that does not fit is named', async (venue) => {
    for (const id of ['', 'x', 7, nowhere])
      await refusesKeys(venue, 'editSubAccount', { ...edit, id }, ['id'])
    for (const alias of ['', '  ', 7, 'x'.repeat(65)]) {
      await refusesKeys(venue, 'editSubAccount', { ...edit, alias }, ['alias'])
    }
    const permissions = { ...edit.permissions, spotEnabled: 'yes' }
    await refusesKeys(venue, 'editSubAccount', { ...edit, permissions }, ['permissions.spotEnabled'])
    for (const whole of [[], 'all', null]) {
      await refusesKeys(venue, 'editSubAccount', { ...edit, permissions: whole }, ['permissions'])
    }
  }),
  clause('4.16', 'a sub-account of somebody else is answered like one that does not exist', async (venue) => {
    const about = { as: 'rival' } as const
    const theirs = await refusesKeys(venue, 'editSubAccount', edit, ['id'], about)
    expect(theirs).toEqual(
      await refusesKeys(venue, 'editSubAccount', { ...edit, id: nowhere }, ['id'], about),
    )
  }),
  clause(
    '4.16',
    'two sub-accounts of one owner have different names',
    async (venue) => {
      await refusesKeys(venue, 'editSubAccount', { ...edit, alias: 'other' }, ['alias'])
      await done(venue.paper.editSubAccount({ ...edit, alias: 'desk' }))
    },
    {
      world: {
        accounts: {
          paper: {
            subAccounts: [
              { id: subAccount, alias: 'desk', spotEnabled: 'true', collateralEnabled: 'true' },
              { id: nowhere, alias: 'other', spotEnabled: 'true', collateralEnabled: 'true' },
            ],
          },
        },
      },
    },
  ),
]

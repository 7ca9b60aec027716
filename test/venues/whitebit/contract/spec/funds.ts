import { expect } from 'vitest'
import { clause } from './clause.ts'
import {
  canceledDeposit,
  creditedDeposit,
  done,
  last,
  mainBalanceOf,
  nowhere,
  refusesKeys,
  shown,
  tronAddress,
} from './reading.ts'

const refund = { transaction_id: canceledDeposit, address: tronAddress }
const code = { ticker: 'USDT', amount: '25.5' }

/** §4.9, §4.11 and §4.15: deposits, their refund, and codes. */
export const funds = [
  clause('4.9', 'refunds a canceled deposit and echoes its id', async (venue) => {
    expect(await shown(venue, 'refundDeposit', venue.paper.refundDeposit(refund))).toEqual({
      id: canceledDeposit,
    })
  }),
  clause('4.9', 'a deposit is refunded once', async (venue) => {
    await done(venue.paper.refundDeposit(refund))
    await refusesKeys(venue, 'refundDeposit', refund, ['transaction_id'])
  }),
  clause('4.9', 'a deposit that was credited is not refunded', async (venue) => {
    await refusesKeys(venue, 'refundDeposit', { ...refund, transaction_id: creditedDeposit }, [
      'transaction_id',
    ])
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000')
  }),
  clause('4.9', 'transaction_id is the UUID of a deposit, and both fields are needed', async (venue) => {
    for (const id of ['', 'x', nowhere, 7, null]) {
      await refusesKeys(venue, 'refundDeposit', { ...refund, transaction_id: id }, ['transaction_id'])
    }
    await refusesKeys(venue, 'refundDeposit', {}, ['transaction_id', 'address'])
  }),
  clause('4.9', 'a deposit of somebody else is answered like one that does not exist', async (venue) => {
    const about = { as: 'rival' } as const
    const theirs = await refusesKeys(venue, 'refundDeposit', refund, ['transaction_id'], about)
    const missing = { ...refund, transaction_id: nowhere }
    expect(theirs).toEqual(await refusesKeys(venue, 'refundDeposit', missing, ['transaction_id'], about))
  }),
  clause('4.9', 'the address belongs to the network of the deposit', async (venue) => {
    const others = [
      '0x52908400098527886E0F7030069857D2E4169EE7',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMX',
      '',
      'x'.repeat(201),
      7,
    ]
    for (const address of others)
      await refusesKeys(venue, 'refundDeposit', { ...refund, address }, ['address'])
  }),
  clause('4.9', 'the address is none of this service, neither your own nor another', async (venue) => {
    for (const client of [venue.paper, venue.rival, venue.reader]) {
      const { account } = await done(client.depositAddress({ ticker: 'USDT', network: 'TRC20' }))
      await refusesKeys(venue, 'refundDeposit', { ...refund, address: account.address }, ['address'])
    }
    await done(venue.paper.refundDeposit(refund))
  }),
  clause(
    '4.9',
    'request holds the path here as everywhere: a body cannot hold itself in Base64',
    async (venue) => {
      await done(venue.paper.refundDeposit(refund))
      const { sent, headers } = last(venue)
      expect(JSON.parse(sent)).toMatchObject({ request: '/api/v4/main-account/refund-deposit' })
      expect(Buffer.from(headers['x-txc-payload'] ?? '', 'base64').toString()).toBe(sent)
    },
  ),
  clause('4.11', 'takes the amount from the main account at once', async (venue) => {
    await done(venue.paper.createCode(code))
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99974.5')
  }),
  clause('4.11', 'every code and every external_id is another one', async (venue) => {
    const first = await shown(venue, 'createCode', venue.paper.createCode(code))
    const second = await shown(venue, 'createCode', venue.paper.createCode(code))
    expect(new Set([first.code, second.code, first.external_id, second.external_id]).size).toBe(4)
    for (const each of [first, second]) expect(each.code.endsWith('USDT')).toBe(true)
  }),
  clause('4.11', 'ticker is a currency of the venue, and ticker and amount are needed', async (venue) => {
    for (const ticker of ['usdt', 'ZZZ', '', 7])
      await refusesKeys(venue, 'createCode', { ...code, ticker }, ['ticker'])
    await refusesKeys(venue, 'createCode', {}, ['ticker', 'amount'])
    const wrong = { ticker: 'ZZZ', amount: '0.123456789', passphrase: 'a b' }
    await refusesKeys(venue, 'createCode', wrong, Object.keys(wrong))
  }),
  clause('4.11', 'passphrase takes Latin letters, digits and symbols', async (venue) => {
    for (const passphrase of ['aZ09', '!@#$%^', '~`[]{}|\\"\'<>,.?/+-=_&*()']) {
      await done(venue.paper.createCode({ ...code, passphrase }))
    }
    for (const passphrase of ['', 'two words', ' x', 'tab\t', 'line\n', 'пароль', 'ü', '秘密', 7]) {
      await refusesKeys(venue, 'createCode', { ...code, passphrase }, ['passphrase'])
    }
  }),
  clause('4.11', 'description is free text', async (venue) => {
    for (const description of ['', 'Miete für März, 秘密 & <b>', 'x'.repeat(280)]) {
      await done(venue.paper.createCode({ ...code, description }))
    }
    for (const description of ['x'.repeat(281), 7, null]) {
      await refusesKeys(venue, 'createCode', { ...code, description }, ['description'])
    }
  }),
  clause('4.11', 'neither passphrase nor description is needed', async (venue) => {
    await done(venue.paper.createCode(code))
    await done(venue.paper.createCode({ ...code, passphrase: 'x' }))
    await done(venue.paper.createCode({ ...code, description: 'x' }))
  }),
  clause('4.15', 'answers the same address every time, and another to another account', async (venue) => {
    const addressFor = async (client: typeof venue.paper) =>
      (await done(client.depositAddress({ ticker: 'USDT', network: 'ERC20' }))).account.address
    const own = await addressFor(venue.paper)
    expect(await addressFor(venue.paper)).toBe(own)
    expect(await addressFor(venue.rival)).not.toBe(own)
  }),
  clause('4.15', 'network is needed where a currency has several, and chooses among them', async (venue) => {
    const { errors } = await refusesKeys(venue, 'depositAddress', { ticker: 'USDT' }, ['network'])
    expect(errors['network']?.[0]).toContain('TRC20')
    const forms = { ERC20: /^0x[0-9a-f]{40}$/, TRC20: /^T/, SOL: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ }
    for (const [network, form] of Object.entries(forms)) {
      const call = venue.paper.depositAddress({ ticker: 'USDT', network })
      expect((await shown(venue, 'depositAddress', call)).account.address).toMatch(form)
    }
    for (const network of ['BTC', 'erc20', '', 7]) {
      await refusesKeys(venue, 'depositAddress', { ticker: 'USDT', network }, ['network'])
    }
  }),
  clause('4.15', 'network may be left out where a currency has one', async (venue) => {
    const alone = await done(venue.paper.depositAddress({ ticker: 'ETH' }))
    expect(await done(venue.paper.depositAddress({ ticker: 'ETH', network: 'ERC20' }))).toEqual(alone)
  }),
  clause('4.15', 'a fiat currency has no address', async (venue) => {
    for (const ticker of ['EUR', 'USD']) await refusesKeys(venue, 'depositAddress', { ticker }, ['ticker'])
  }),
  clause('4.15', 'ticker is needed, and is a currency of the venue', async (venue) => {
    await refusesKeys(venue, 'depositAddress', {}, ['ticker'])
    for (const ticker of ['ZZZ', 'btc', '', 7])
      await refusesKeys(venue, 'depositAddress', { ticker }, ['ticker'])
  }),
  clause(
    '4.15',
    'a currency that takes no deposits has no address',
    async (venue) => {
      await refusesKeys(venue, 'depositAddress', { ticker: 'SOL' }, ['ticker'])
      await done(venue.paper.depositAddress({ ticker: 'ETH' }))
    },
    { world: { assets: { SOL: { deposits: 'false' } } } },
  ),
]

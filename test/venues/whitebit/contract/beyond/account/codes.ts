import { expect } from 'vitest'
import { done, mainBalanceOf, refusesKeys } from '#test/venues/whitebit/contract/spec/reading.ts'
import { answered, beyond, holds } from '#test/venues/whitebit/contract/beyond/clause.ts'

const made = { ticker: 'USDT', amount: '25.5', passphrase: 'Winter!7' }
const { passphrase } = made
const listed = (answer: unknown) => {
  const { data, ...page }: { data: Record<string, unknown>[] } = Object(answer)
  return { data, page }
}

export const codes = [
  beyond('codes', 'gives the money of a code to whoever applies it', async (venue) => {
    const { code, external_id } = await done(venue.paper.createCode(made))
    expect(await answered(venue, 'applyCode', { code, passphrase }, { as: 'rival' })).toEqual({
      message: 'Code was successfully applied',
      ticker: 'USDT',
      amount: '25.5',
      external_id,
    })
    expect(holds(venue, 'main/rival', 'USDT')).toBe('100025.5')
    expect(await mainBalanceOf(venue, 'USDT')).toBe('99974.5')
    expect(holds(venue, 'codes', 'USDT')).toBe('0')
  }),
  beyond('codes', 'may be applied by whoever made it', async (venue) => {
    const { code } = await done(venue.paper.createCode(made))
    await done(venue.paper.applyCode({ code, passphrase }))
    expect(await mainBalanceOf(venue, 'USDT')).toBe('100000')
  }),
  beyond('codes', 'pays once, whoever asks again', async (venue) => {
    const { code } = await done(venue.paper.createCode(made))
    await done(venue.rival.applyCode({ code, passphrase }))
    for (const as of ['rival', 'paper'] as const) {
      const { errors } = await refusesKeys(venue, 'applyCode', { code, passphrase }, ['code'], { as })
      expect(errors['code']).toEqual(['Code was already applied'])
    }
    expect(holds(venue, 'main/rival', 'USDT')).toBe('100025.5')
  }),
  beyond('codes', 'wants the passphrase it was made with, and no other', async (venue) => {
    const { code } = await done(venue.paper.createCode(made))
    const plain = await done(venue.paper.createCode({ ticker: 'USDT', amount: '1' }))
    const unknown = await refusesKeys(venue, 'applyCode', { code: `${code}X`, passphrase }, ['code'])
    const wrong = [{ code }, { code, passphrase: 'winter!7' }, { code: plain.code, passphrase }]
    for (const about of wrong) {
      expect(await refusesKeys(venue, 'applyCode', about, ['code'])).toEqual(unknown)
    }
    expect(unknown.errors['code']).toEqual(['Incorrect code or passphrase'])
    await done(venue.rival.applyCode({ code: plain.code }))
    await done(venue.rival.applyCode({ code, passphrase }))
  }),
  beyond('codes', 'an applied code without its passphrase looks like no code', async (venue) => {
    const { code } = await done(venue.paper.createCode(made))
    await done(venue.paper.applyCode({ code, passphrase }))
    const { errors } = await refusesKeys(venue, 'applyCode', { code }, ['code'])
    expect(errors['code']).toEqual(['Incorrect code or passphrase'])
  }),
  beyond('codes', 'needs a code, and a passphrase has the form of one', async (venue) => {
    await refusesKeys(venue, 'applyCode', {}, ['code'])
    for (const code of ['', 7, null, 'x'.repeat(101), '__proto__', 'constructor']) {
      await refusesKeys(venue, 'applyCode', { code }, ['code'])
    }
    for (const secret of ['', 'two words', 'x'.repeat(26), 7]) {
      await refusesKeys(venue, 'applyCode', { code: 'x', passphrase: secret }, ['passphrase'])
    }
  }),
  beyond('codes', 'takes 60 calls in one second', async (venue) => {
    const { code } = await done(venue.paper.createCode(made))
    for (let call = 0; call < 60; call++) await refusesKeys(venue, 'applyCode', { code }, ['code'])
    expect((await venue.signed('applyCode', { code, passphrase })).status).toBe(429)
    venue.advance(999)
    expect((await venue.signed('applyCode', { code, passphrase })).status).toBe(429)
    venue.advance(1)
    await answered(venue, 'applyCode', { code, passphrase })
  }),
  beyond('codes', 'own codes are listed newest first, with what became of them', async (venue) => {
    const first = await done(venue.paper.createCode(made))
    venue.advance(60_000)
    const second = await done(venue.paper.createCode({ ticker: 'BTC', amount: '0.10' }))
    await done(venue.rival.applyCode({ code: first.code, passphrase }))
    const { data, page } = listed(await answered(venue, 'myCodes'))
    expect(page).toEqual({ total: 2, limit: 30, offset: 0 })
    expect(data).toEqual([
      {
        amount: '0.1',
        code: second.code,
        date: 1_790_000_060,
        status: 'New',
        ticker: 'BTC',
        external_id: second.external_id,
      },
      {
        amount: '25.5',
        code: first.code,
        date: 1_790_000_000,
        status: 'Activated',
        ticker: 'USDT',
        external_id: first.external_id,
      },
    ])
    expect(listed(await answered(venue, 'myCodes', {}, { as: 'rival' })).data).toEqual([])
    const last = listed(await answered(venue, 'myCodes', { limit: '1', offset: 1 }))
    expect(last).toMatchObject({ data: [{ code: first.code }], page: { total: 2, limit: 1, offset: 1 } })
  }),
  beyond('codes', 'the history has what a code took from its maker and brought to another', async (venue) => {
    const { code } = await done(venue.paper.createCode(made))
    expect(listed(await answered(venue, 'codeHistory')).data).toMatchObject([
      { amount: '-25.5', status: 'New' },
    ])
    venue.advance(60_000)
    await done(venue.rival.applyCode({ code, passphrase }))
    const own = listed(await answered(venue, 'codeHistory'))
    expect(own.page).toEqual({ total: 1, limit: 30, offset: 0 })
    expect(own.data).toMatchObject([{ amount: '-25.5', code, date: 1_790_000_000, status: 'Activated' }])
    const others = listed(await answered(venue, 'codeHistory', {}, { as: 'rival' }))
    expect(others.data).toMatchObject([{ amount: '+25.5', code, date: 1_790_000_060, status: 'Activated' }])
  }),
  beyond(
    'codes',
    'the history of a code applied by its maker has both sides, newest first',
    async (venue) => {
      const { code } = await done(venue.paper.createCode(made))
      await done(venue.paper.applyCode({ code, passphrase }))
      const { data } = listed(await answered(venue, 'codeHistory'))
      expect(data.map(({ amount }) => amount)).toEqual(['+25.5', '-25.5'])
      const { data: rest } = listed(await answered(venue, 'codeHistory', { limit: 5, offset: 1 }))
      expect(rest.map(({ amount }) => amount)).toEqual(['-25.5'])
    },
  ),
  beyond('codes', 'whoever may only read is not shown codes, which are as good as money', async (venue) => {
    for (const name of ['myCodes', 'codeHistory'] as const) {
      expect((await venue.signed(name, {}, { as: 'reader' })).status).toBe(403)
    }
  }),
  beyond('codes', 'pages are 1 to 100 codes long and begin at 0 to 10000', async (venue) => {
    for (const name of ['myCodes', 'codeHistory'] as const) {
      for (const limit of [0, 101, 1.5, 'x']) await refusesKeys(venue, name, { limit }, ['limit'])
      for (const offset of [-1, 10_001]) await refusesKeys(venue, name, { offset }, ['offset'])
      await answered(venue, name, { limit: 100, offset: 10_000 })
    }
  }),
]

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { TapeEvent } from '#src/research/recording/tape.ts'
import { writer } from '#test/research/recording/tape-fixture.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const at = 1_790_000_000_000

function told(market: string, id: number, price: string): TapeEvent {
  const trade = { id, time: at / 1000 + id, price, amount: '0.5', type: 'buy' }
  const json = { method: 'trades_update', params: [market, [trade]], id: null }
  return { kind: 'stream-frame', at, stream: 1, from: 'venue', json }
}

test('prices of a tape are printed, and written as market files', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape } = writer(path)
  for (const id of [1, 2, 3]) tape.write(told('BTC_PERP', id, `6000${id}`))
  tape.write(told('ETH_PERP', 4, '3000'))
  await tape.close(at)
  const out = folder.file('markets')
  const first = await rungsHere(['market', path, '--write', out])
  expect(first).toEqual({
    code: 0,
    stderr: '',
    stdout: `${path}
  BTC_PERP  3 trades  2026-09-21T14:13:21Z to 2026-09-21T14:13:23Z
  ETH_PERP  1 trades  2026-09-21T14:13:24Z to 2026-09-21T14:13:24Z
  written to ${out}/BTC_PERP.csv
  written to ${out}/ETH_PERP.csv
`,
  })
  expect(readFileSync(`${out}/BTC_PERP.csv`, 'utf8')).toContain(
    '# market: BTC_PERP\ntimestamp,price,amount,side\n',
  )
  const again = await rungsHere(['market', `${out}/BTC_PERP.csv`, '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({
    market: 'BTC_PERP',
    kind: 'trades',
    rows: 3,
    from: at + 1000,
    to: at + 3000,
    low: '60001',
    high: '60003',
    notes: [],
  })
  const taken = await rungsHere(['market', path, '--write', out])
  expect(taken.code).toBe(64)
  expect(taken.stderr).toContain('BTC_PERP.csv exists\nfix: Name a new folder')
})

test.each([
  ['--bars', '5m'],
  ['--seeded', 'BTC_PERP'],
  ['--for', '1d'],
  ['--seed', 'a'],
])('%s, which a tape cannot use, is refused', async (flag, value) => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape } = writer(path)
  tape.write(told('BTC_PERP', 1, '60001'))
  await tape.close(at)
  const { code, stdout, stderr } = await rungsHere(['market', path, flag, value])
  expect([code, stdout]).toEqual([64, ''])
  expect(stderr).toContain(`${flag} has no effect on a tape`)
})

test('a truncated tape is reported, also as JSON; a tape without prices is refused', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape } = writer(path)
  tape.write(told('BTC_PERP', 1, '60001'))
  await new Promise((resolve) => setImmediate(resolve))
  const { code, stdout } = await rungsHere(['market', `${path}.partial`, '--json'])
  expect({ code, ...JSON.parse(stdout) }).toEqual({
    code: 0,
    file: `${path}.partial`,
    markets: [{ market: 'BTC_PERP', kind: 'trades', rows: 1, from: at + 1000, to: at + 1000 }],
    notes: ['The tape was cut off after line 2; all lines before are read'],
    written: [],
  })
  await tape.close(at)
  const empty = folder.file('empty.tape')
  await writer(empty).tape.close(at)
  const refused = await rungsHere(['market', empty, '--write', folder.file('none')])
  expect(refused.code).toBe(65)
  expect(refused.stderr).toContain(`${empty} holds neither trades nor closed candles`)
  expect(existsSync(folder.file('none'))).toBe(false)
})

test('a market on a tape whose name is a path writes no file', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.tape')
  const { tape } = writer(path)
  const outside = ['../stolen', folder.file('stolen'), 'a/../../stolen', '..', 'BTC_PERP\0', 'btc_perp']
  for (const [index, market] of outside.entries()) {
    tape.write(told(market, index, '1'))
    const got = {
      status: 200,
      json: { success: true, message: null, result: [bar(index), bar(index + 60), bar(index + 120)] },
    }
    const query = String(new URLSearchParams({ market, interval: '1m' }))
    const ask = { kind: 'call', at, tookMs: 1, method: 'GET', body: null, got } as const
    tape.write({ ...ask, path: '/api/v1/public/kline', query })
    tape.write({ ...ask, path: `/api/v4/public/trades/${market}`, query: '' })
  }
  tape.write(told('BTC_PERP', 9, '60000'))
  await tape.close(at)
  const out = folder.file('markets')
  expect((await rungsHere(['market', path, '--write', out])).code).toBe(0)
  expect(readdirSync(out)).toEqual(['BTC_PERP.csv'])
  expect(readdirSync(folder.path).toSorted()).toEqual(['a.tape', 'markets'])
})

const bar = (seconds: number) => [seconds, '1', '2', '3', '0.5', '10', '20']

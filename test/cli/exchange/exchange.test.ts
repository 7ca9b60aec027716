import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { serialise } from '#src/venues/whitebit/contract/wire/envelope.ts'
import { Secret, signedHeaders } from '#src/venues/whitebit/contract/wire/signing.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import { exchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'

test.concurrent('the first line has the address, people get next steps, and SIGTERM ends it cleanly', async () => {
  await using exchange = await startExchange()
  const { url, euUrl, line } = exchange
  const port = new URL(url).port
  expect(new URL(euUrl).port).not.toBe(port)
  expect(line).toBe(
    `{"event":"listening","url":"http://127.0.0.1:${port}","euUrl":"${euUrl}","wsUrl":"ws://127.0.0.1:${port}/ws"}`,
  )
  const { code, stderr } = await exchange.end()
  expect(code).toBe(0)
  expect(await rungsHere(['api', 'ping', '--url', url])).toMatchObject({ code: 69 })
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringContaining(url),
    expect.stringContaining('"paper"'),
    expect.stringContaining(`npx rungs api main-balance --url ${url}`),
    expect.stringContaining('docs/other-bots.md'),
  ])
})

test.concurrent('a used port is reported with a fix', async () => {
  await using exchange = await exchangeHere()
  const { port } = new URL(exchange.url)
  const { code, stdout, stderr } = await rungsHere(['exchange', '--port', port, '--eu-port', '0'])
  expect({ code, stdout }).toEqual({ code: 69, stdout: '' })
  expect(stderr).toMatch(new RegExp(`^PORT_TAKEN: .*${port}\nfix: .*port, or 0 for a free port`))
})

test.concurrent('with --data balances and nonces survive a restart', async () => {
  using folder = temporaryFolder()
  const words = ['--data', folder.file('data')]
  const api = (url: string, ...call: string[]) =>
    rungsHere(['api', ...call, '--url', url, '--state-dir', folder.file('state'), '--json'])
  const first = await startExchange(words)
  expect(await api(first.url, 'create-code', '--ticker', 'USDT', '--amount', '250', '--yes')).toMatchObject({
    code: 0,
  })
  await first.end()
  await using second = await startExchange(words)
  expect(await api(second.url, 'main-balance', '--ticker', 'USDT')).toMatchObject({
    stdout: '{"USDT":{"main_balance":"99750"}}\n',
  })
})

test.concurrent('markets move from a file and a seed at the given speed, and people see that', async ({
  expect,
}) => {
  using folder = temporaryFolder()
  const file = folder.file('BTC_PERP-1m.csv')
  const rows = ['1700000000,70000,70010,69990,70005', '1700000060,70005,70020,70000,70010']
  writeFileSync(file, `timestamp,open,high,low,close\n${rows.join('\n')}\n`)
  const words = [
    '--profile',
    'full',
    '--market',
    file,
    '--market',
    'seeded',
    '--fill',
    'touch',
    '--speed',
    '100',
  ]
  await using exchange = await startExchange(words)
  const tradesOf = async (market: string): Promise<unknown> =>
    (await fetch(`${exchange.url}/api/v4/public/trades/${market}`)).json()
  const prices = z.array(z.object({ price: z.coerce.number() }).transform(({ price }) => price))
  const pricesOf = async (market: string) => prices.parse(await tradesOf(market))
  await expect.poll(async () => (await pricesOf('SOL_USDT')).length).toBeGreaterThan(10)
  const recorded = [70_000, 69_990, 70_010, 70_005, 70_005, 70_000, 70_020, 70_010]
  await expect.poll(() => pricesOf('BTC_PERP')).toEqual(recorded.toReversed())
  const { code, stderr } = await exchange.end()
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(
      [
        `${file} sets the price of BTC_PERP for 2 min; after that the price stays constant.`,
        'The file holds no amounts: any amount may trade at each price.',
        'Other markets have simulated prices.\n',
      ].join('\n'),
    ),
  })
})

test.concurrent('profile, spelling and admin listener reach the exchange, and SIGINT ends it cleanly', async () => {
  const words = ['--profile', 'full', '--spelling', 'camel', '--seed', 'a', '--admin', '0']
  await using exchange = await startExchange(words)
  const post = async (path: string, nonce: string, parameters: Record<string, unknown>) => {
    const body = serialise({ request: path, nonce }, parameters)
    const credentials = { key: 'paper-key', secret: new Secret('paper-secret') }
    const headers = signedHeaders(credentials, body)
    const response = await fetch(exchange.euUrl + path, { method: 'POST', headers, body: String(body) })
    return { status: response.status, text: await response.text() }
  }
  const code = await post(contract.createCode.path, '1', { ticker: 'USDT', amount: '1' })
  expect(code.status).toBe(201)
  const order = { market: 'BTC_PERP', side: 'buy', amount: '0.02', price: '60000' }
  const bulk = await post(contract.collateralBulk.path, '2', { orders: [order] })
  expect(bulk.text).toContain('"orderId":')
  using folder = temporaryFolder()
  const cancel = ['cancel-all', '--yes', '--url', exchange.url, '--state-dir', folder.path]
  expect(await rungsHere(['api', ...cancel])).toMatchObject({ code: 0, stdout: 'Done.\n' })
  expect(await exchange.end('SIGINT')).toEqual({
    code: 0,
    stderr: expect.stringMatching(/clock and deposits: http:\/\/127\.0\.0\.1:\d+\n/),
  })
})

test.concurrent('an invalid world file is refused with the place of each mistake', async () => {
  using folder = temporaryFolder()
  const world = folder.file('world.yaml')
  writeFileSync(world, 'assets: {}\nmarkets: {}\naccounts: {}\nswitchs:\n  batchMax: 20\n')
  const { code, stdout, stderr } = await rungsHere(['exchange', '--port', '0', '--world', world])
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
  expect(stderr).toContain('FILE_INVALID')
  expect(stderr).toContain(`${world}:4:1 unknown key "switchs", did you mean "switches"?`)
})

test.concurrent('a missing world file is reported', async () => {
  const { code, stderr } = await rungsHere(['exchange', '--port', '0', '--world', 'no-such-world.yaml'])
  expect(code).toBe(78)
  expect(stderr).toContain('no-such-world.yaml (ENOENT, no such file or folder)')
})

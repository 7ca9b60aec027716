import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { startDipBuying } from '#test/runtime/support/dip-buyer.ts'

test('rungs flatten --account closes what the bot and others have opened, and the bot opens nothing again', async () => {
  using folder = temporaryFolder()
  await using dips = await startDipBuying(folder)
  const state = folder.file('state')
  await using bot = startBot([...dips.words, '--state-dir', state])
  await bot.said(isType('fill'))
  const told = (...words: string[]) => rungsHere([...words, '--state-dir', state, '--venue', dips.venue])
  const other = ['--market', 'ETH_PERP', '--amount', '0.5', '--yes']
  for (const words of [
    ['collateral-market', '--side', 'sell', ...other],
    ['collateral-limit', '--side', 'buy', '--price', '2500', ...other],
  ]) {
    // The bot uses the same key: a call may be refused for its nonce.
    await expect.poll(async () => (await told('api', ...words)).code, { interval: 500 }).toBe(0)
  }

  const asked = await told('flatten', '--account')
  expect(asked).toMatchObject({ code: 64, stdout: '' })
  expect(asked.stderr).toContain(`cancels all orders and closes all positions at ${dips.url}`)
  const done = await told('flatten', '--account', '--yes')
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toBe(
    `No order and no position is open at ${dips.url} any more.\n` +
      'The bot is stopped, and its exits are frozen. Next: rungs status shows which ladders the bot still counts as open; ' +
      'report each with rungs resolve LADDER gone --price PRICE --reason TEXT.\n',
  )
  expect((await told('flatten', '--account', '--yes')).stdout).toBe(
    `No order and no position is open at ${dips.url}.\n`,
  )
  // Twenty ticks of the bot later.
  const seen = bot.lines.length
  await bot.said(({ type }) => type === 'drift' || bot.lines.length > seen + 5)
  expect([await dips.openOrders(), await dips.openPositions()]).toEqual([[], []])
})

test.each([
  [['open', '--account'], '--account concerns the whole account, not one strategy'],
  [['--venue', 'live.yaml'], '--venue is for --account only'],
  [['--account'], '--account needs the venue file of the account'],
])('rungs flatten %j says what to write', async (words, seen) => {
  expect(await rungsHere(['flatten', ...words])).toMatchObject({
    code: 64,
    stderr: `USAGE: The command line is invalid: ${seen}\nfix: Write rungs flatten --account --venue FILE\n`,
  })
})

test('a venue that lists neither orders nor positions is no empty account', async () => {
  using folder = temporaryFolder()
  await using exchange = await exchangeHere()
  const venue = folder.file('spec.yaml')
  writeFileSync(venue, `url: ${exchange.url}\nkey: paper-key\nsecret: paper-secret\n`)
  const words = ['flatten', '--account', '--yes', '--venue', venue, '--state-dir', folder.path]
  const { code, stderr } = await rungsHere(words)
  expect(code).toBe(69)
  expect(stderr).toContain(`${exchange.url} does not list the open orders and positions`)
})

import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { exchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { seed, times } from '#test/properties/runs.ts'
import { startFaultyVenue, type VenueFault } from '#test/support/faulty-venue.ts'
import { worldWith } from '#test/support/world.ts'
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
  // Twenty ticks of the bot later.
  const seen = bot.lines.length
  await bot.said(({ type }) => type === 'drift' || bot.lines.length > seen + 5)
  expect([await dips.openOrders(), await dips.openPositions()]).toEqual([[], []])
})

const faults: readonly VenueFault[] = ['answer lost', 'failed after', 'cut', 'lost', 'throttled', 'cut short']
const runsOfFaults = times(3, 20, 2)

test(`with a third of all answers lost, cut, failed or throttled it still closes everything: ${runsOfFaults} seeds`, async () => {
  for (let n = 0; n < runsOfFaults; n++) {
    using folder = temporaryFolder()
    const about = { world: worldWith(), clock: systemClock, profile: 'full', seed: `flatten ${n}` } as const
    const venue = await startFaultyVenue({ ...about, sources: { seeded: true } })
    try {
      const file = folder.file('venue.yaml')
      writeFileSync(file, `url: ${venue.url}\nkey: paper-key\nsecret: paper-secret\n`)
      const told = (...words: string[]) =>
        rungsHere([...words, '--yes', '--venue', file, '--state-dir', folder.path])
      for (const market of ['BTC_PERP', 'ETH_PERP']) {
        const order = ['--market', market, '--amount', '0.1']
        expect((await told('api', 'collateral-market', '--side', 'buy', ...order)).code).toBe(0)
        const far = ['--side', 'sell', '--price', market === 'BTC_PERP' ? '70000' : '3600']
        expect((await told('api', 'collateral-limit', ...far, ...order)).code).toBe(0)
      }
      const chance = chanceOf(seed + n)
      venue.randomFaults(() => (chance.percent(33) ? chance.oneOf(faults) : undefined))
      const { code, stdout, stderr } = await told('flatten', '--account', '--wait', '60s')
      venue.randomFaults(undefined)
      // The first read can stay without an answer; then nothing has been changed.
      if (code !== 0) expect({ code, stdout }, stderr).toEqual({ code: 69, stdout: '' })
      const last = await told('flatten', '--account')
      expect(last).toMatchObject({ code: 0, stderr: '' })
      if (code === 0) expect(last.stdout).toMatch(/^No order and no position is open at /)
    } finally {
      await venue.close()
    }
  }
})

test('if the venue stops answering, the last read and the state of the bot are printed', async () => {
  using folder = temporaryFolder()
  const about = { world: worldWith(), clock: systemClock, profile: 'full', seed: 'silent' } as const
  const venue = await startFaultyVenue({ ...about, sources: { seeded: true } })
  try {
    const file = folder.file('venue.yaml')
    writeFileSync(file, `url: ${venue.url}\nkey: paper-key\nsecret: paper-secret\n`)
    // A process that is no bot has its port: the command must not wait for it.
    await using stranger = await exchangeHere()
    const control = { url: stranger.url, pid: process.pid, token: 'a token' }
    writeFileSync(folder.file('control.json'), JSON.stringify(control))
    const told = (...words: string[]) =>
      rungsHere([...words, '--yes', '--venue', file, '--state-dir', folder.path])
    const order = ['--market', 'BTC_PERP', '--amount', '0.1', '--side', 'buy']
    expect((await told('api', 'collateral-market', ...order)).code).toBe(0)
    const before = venue.calls.length
    venue.randomFaults(() => (venue.calls.length < before + 2 ? undefined : 'lost'))
    const { code, stdout } = await told('flatten', '--account', '--wait', '1s')
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /^The venue does not answer \(.+\)\. Last seen open:\n0 open orders\n1 open position:\n {2}BTC_PERP: 0\.1\n/,
    )
    expect(stdout).toContain('\nThe bot is not stopped (')
    venue.randomFaults(undefined)
    expect((await told('flatten', '--account')).stdout).toMatch(
      /^No order and no position is open at \S+ any more\.\n/,
    )
  } finally {
    await venue.close()
  }
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

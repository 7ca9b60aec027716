import { expect, test } from 'vitest'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { startDipBuying } from '#test/runtime/support/dip-buyer.ts'

test('rungs flatten leaves no order and no position at the exchange, until rungs resume', async () => {
  using folder = temporaryFolder()
  await using dips = await startDipBuying(folder)
  const state = folder.file('state')
  await using bot = startBot([...dips.words, '--state-dir', state])
  await bot.said(isType('fill'))
  const told = (...words: string[]) => rungsHere([...words, '--state-dir', state])
  const open = async () => [await dips.openOrders(), await dips.openPositions()]

  expect(await told('cancel', 'open.grid.9')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('there is no open order open.grid.9'),
  })
  expect((await told('pause', 'open', '--reason', 'coffee')).stdout).toMatch(
    /\nTo resume: rungs resume open\n$/,
  )
  expect((await told('status')).stdout).toContain('paused by the operator: coffee')
  expect((await told('resume', 'open')).stdout).toBe('open resumed.\n')
  // Without an answer nothing happens.
  const asked = await told('flatten')
  expect(asked).toMatchObject({ code: 64, stdout: '' })
  expect(asked.stderr).toContain('rungs flatten closes the positions of all strategies at the market')
  expect(await told('flatten', 'opne', '--yes')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('did you mean "open"?'),
  })

  const flat = 'open: no order and no position is open.\n'
  expect(await told('flatten', '--yes', '--reason', 'news')).toMatchObject({
    code: 0,
    stdout: `${flat}To resume: rungs resume\n`,
  })
  expect(await open()).toEqual([[], []])
  expect((await told('status')).stdout).toContain(
    'halted: news. Exits work.\n  all positions were closed at the market',
  )
  expect(bot.lines.filter(isType('flattened'))).toHaveLength(1)

  expect((await told('resume')).code).toBe(0)
  expect((await told('stop', '--cancel', '--reason', 'lunch')).stdout).toBe(
    'All strategies are stopped: no new entries; open entries are cancelled if the venue supports it.\nExits work.\n' +
      'To resume: rungs resume\n',
  )
  expect(await told('flatten', 'open', '--yes')).toMatchObject({
    code: 0,
    stdout: `${flat}To resume: rungs resume open\n`,
  })
  expect(await open()).toEqual([[], []])
})

import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cleanUpOnExit } from '#src/cli/run/on-exit.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { atWork } from '#test/operate/dashboard/dashboard-fixture.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { startDipBuying } from '#test/runtime/support/dip-buyer.ts'

test('on_exit closes what is open at the end of a run, and the next run trades again', async () => {
  using folder = temporaryFolder()
  await using dips = await startDipBuying(folder)
  writeFileSync(dips.file, `${readFileSync(dips.file, 'utf8')}on_exit: flatten\n`)
  const words = [...dips.words, '--state-dir', folder.file('state')]
  await using first = startBot(words)
  await first.said(isType('fill'))
  first.kill('SIGTERM')
  expect(await first.ended).toMatchObject({ code: 0 })
  expect([await dips.openOrders(), await dips.openPositions()]).toEqual([[], []])
  expect(first.lines.at(-1)).toMatchObject({ type: 'summary', agrees: true })
  expect((await rungsHere(['status', '--state-dir', folder.file('state')])).stdout).toContain(
    'halted: on_exit: flatten, until the next start. Exits work.',
  )

  await using second = startBot([...words, '--on-exit', 'cancel'])
  await second.said(isType('fill'))
  second.kill('SIGINT')
  expect(await second.ended).toMatchObject({ code: 0 })
  expect(await dips.openOrders()).toEqual([])
  expect(await dips.openPositions()).toHaveLength(1)
  expect(second.lines.filter(isType('flattened'))).toEqual([])

  await using third = startBot([...words, '--on-exit', 'leave'])
  await third.said(isType('started'))
  third.kill('SIGTERM')
  expect(await third.ended).toMatchObject({ code: 0 })
  expect(third.lines.filter(isType('halted'))).toEqual([])
})

test('what cannot be closed in time is named', async () => {
  const { engine } = atWork('01-static-grid')
  const { state } = engine
  const bot = { state, operate: () => {} }
  const open = Object.values(state.orders).filter(({ status }) => status === 'resting').length
  expect(open).toBeGreaterThan(1)
  expect(await cleanUpOnExit(bot, new Map([['sgrid', 'cancel']]), 1)).toEqual([
    `sgrid: ${open} orders are open`,
  ])
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomFaults } from '#src/exchange/http/fault-proxy.ts'
import { startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { closeMaker } from '#test/runtime/support/close-maker.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'

describe('a run on the embedded exchange with --faults', () => {
  const folder = temporaryFolder()
  let bot: StartedBot
  beforeAll(() => {
    bot = startBot([closeMaker(folder), '--faults', '30%', '--state-dir', folder.file('state')])
  })
  afterAll(async () => {
    await bot[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  test('trades, resolves unknown outcomes, and no order is accepted twice', async () => {
    await bot.said(({ type }) => type === 'order-resolved')
    await bot.said(({ type }) => type === 'fill')
    // An order with unknown outcome is resolved as placed without an acceptance.
    await bot.said(({ type }) => type === 'order-accepted')
    bot.kill('SIGTERM')
    expect(await bot.ended).toMatchObject({ code: 0 })
    const accepted = bot.lines.filter(({ type }) => type === 'order-accepted').map(({ order }) => order)
    expect(accepted.length).toBeGreaterThan(0)
    expect(new Set(accepted).size).toBe(accepted.length)
  })
})

test('an exchange drops the given share of calls, and reports it', async () => {
  await using exchange = await startExchange(['--faults', '90%', '--seed', 'faults'])
  expect(await exchange.heard(/^(90% of the calls fail.*)$/m)).toContain('fail in the network')
  const answers = await Promise.allSettled(
    Array.from({ length: 40 }, () => fetch(new URL('/api/v4/public/ping', exchange.url))),
  )
  const well = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.status === 200)
  expect(well.length).toBeLessThan(35)
})

test.each([
  [['run', 'strategies/01-static-grid.yaml', '--faults', '95%'], 'is not a share of calls'],
  [['exchange', '--faults', '0.3'], 'is not a share of calls'],
  [['run', 'strategies/01-static-grid.yaml', '--faults', '5%', '--venue', 'config/paper.yaml'], '--venue'],
])('%j is refused', async (words, reason) => {
  const { code, stderr } = await rungsHere(words)
  expect(code).toBe(64)
  expect(stderr).toContain(reason)
})

test('a seed determines the faults; all kinds occur at the given rate', () => {
  expect(drawn('one')).toEqual(drawn('one'))
  expect(drawn('one')).not.toEqual(drawn('other'))
  const faults = drawn('one').filter((fault) => fault !== undefined)
  expect(faults.length / 3000).toBeCloseTo(0.3, 1)
  expect(new Set(faults.map((fault) => (typeof fault === 'object' ? 'late' : fault))).size).toBe(11)
})

function drawn(seed: string) {
  const { fault } = randomFaults(seed, 0.3)
  return Array.from({ length: 3000 }, () => fault())
}

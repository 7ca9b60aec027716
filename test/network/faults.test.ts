import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seed, times } from '#test/properties/runs.ts'
import { startBotAndExchange, type BotAndExchange } from './bot-and-exchange.ts'
import { viewOf } from './bot-view.ts'
import { daysFromNow, selfSigned } from './certificates.ts'
import type { NetworkScenario } from './scenario.ts'
import { plainScenarios, tlsScenarios } from './scenarios.ts'

const isLong = times(0, 1) === 1
const chosen = <Row extends NetworkScenario>(rows: readonly Row[]) =>
  rows.filter(({ usual }) => isLong || usual)

/** The faults strike, the bot logs what it must, and then bot and exchange agree about the whole account. */
async function play(
  about: BotAndExchange,
  scenario: NetworkScenario,
  before?: () => Promise<unknown>,
): Promise<void> {
  const { on, times = 1, fault = {}, meanwhile, told = [], never = [] } = scenario
  const { bot, proxy } = about
  const from = bot.lines.length
  const since = () => bot.lines.slice(from).map(({ type }) => type)
  const struck =
    on === undefined ? undefined : proxy.plan(on, typeof fault === 'function' ? fault(about) : fault, times)
  await Promise.all([before?.(), meanwhile?.(about), struck])
  await bot.said(() => told.every((type) => since().includes(type)))
  proxy.heal()
  await about.agree()
  expect(since().filter((type) => never.includes(type))).toEqual([])
  // It trades on.
  const count = since().filter((type) => type === 'bulk-sent').length
  await bot.said(() => since().filter((type) => type === 'bulk-sent').length > count)
}

/** The last word of the bot is that it agrees, and that no outcome is unknown. */
async function end({ bot }: BotAndExchange): Promise<void> {
  bot.kill('SIGTERM')
  expect(await bot.ended, bot.stderr()).toEqual({ code: 0, signal: null })
  expect(bot.lines.at(-1)).toMatchObject({ type: 'summary', agrees: true, doubtful: 0 })
  expect(bot.lines.filter(({ type }) => type === 'error' || type === 'halted')).toEqual([])
}

describe(`a bot on a hostile network (seed ${seed})`, () => {
  let about: BotAndExchange
  beforeAll(async () => {
    about = await startBotAndExchange()
    await about.bot.said(({ type }) => type === 'order-accepted')
  })
  afterAll(() => about.close())

  for (const scenario of chosen(plainScenarios)) test(scenario.name, () => play(about, scenario))
  test('in the end it agrees with the exchange', () => end(about))
})

describe(`a bot on a hostile network, over TLS (seed ${seed})`, () => {
  const here = Buffer.from([127, 0, 0, 1])
  const good = selfSigned({ host: here })
  const certificates = {
    expired: selfSigned({ host: here, from: daysFromNow(-3), until: daysFromNow(-2) }),
    'of another host': selfSigned({ host: 'venue.example' }),
    unknown: selfSigned({ host: here }),
  }
  const trusted = [good, certificates.expired, certificates['of another host']]
    .map(({ cert }) => cert)
    .join('')
  let about: BotAndExchange
  beforeAll(async () => {
    about = await startBotAndExchange({ tls: good, trusted })
    await about.bot.said(({ type }) => type === 'order-accepted')
  })
  afterAll(() => about.close())

  for (const { certificate, ...scenario } of chosen(tlsScenarios)) {
    test(scenario.name, () => {
      if (certificate === undefined) return play(about, scenario, () => Promise.resolve(about.proxy.cut()))
      const meanwhile = async ({ proxy, stateDir }: BotAndExchange) => {
        proxy.certify(certificates[certificate])
        const calls = proxy.calls.length
        await expect.poll(async () => (await viewOf(stateDir)).lost).toMatch(/not trusted/)
        // No byte of a call has left on such a connection.
        expect(proxy.calls.length).toBe(calls)
        proxy.certify(good)
      }
      return play(about, { ...scenario, meanwhile })
    })
  }
  test('in the end it agrees with the exchange, over TLS', () => end(about))
})

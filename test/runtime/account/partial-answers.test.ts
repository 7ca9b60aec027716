import { expect, test } from 'vitest'
import { z } from 'zod'
import { rungsHere } from '#test/cli/support/in-process.ts'
import type { FaultyVenue } from '#test/support/faulty-venue.ts'
import { tradingAtFaultyVenue } from '#test/runtime/support/at-faulty-venue.ts'
import { isType, type StartedBot, type Line } from '#test/runtime/support/bot-process.ts'

const trading = (change: (venue: FaultyVenue) => void, story: Parameters<typeof tradingAtFaultyVenue>[0]) =>
  tradingAtFaultyVenue(story, { change })

const isUnread = ({ type, message }: Line) => type === 'alert' && /not read/.test(String(message))

async function summaryOf(bot: StartedBot) {
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  return bot.lines.at(-1)
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The same answer with every object in it changed. */
function eachObject(change: (fields: Fields) => Fields): (answer: unknown) => unknown {
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed)
    if (!isFields(value)) return value
    return change(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changed(each)])))
  }
  return changed
}

const feeNames = ['deal_fee', 'fee', 'makerFee', 'takerFee', 'maker_fee', 'taker_fee', 'tradeFee']

/** A venue that pays for every trade. */
const rebated = eachObject((fields) => {
  const fees = feeNames.filter((name) => typeof fields[name] === 'string' && Number(fields[name]) > 0)
  return { ...fields, ...Object.fromEntries(fees.map((name) => [name, `-${String(fields[name])}`])) }
})

test('rebates of a venue are booked as negative fees', () =>
  trading(
    (venue) => {
      for (const name of [
        'markets',
        'assets',
        'collateralBulk',
        'openOrders',
        'orderHistory',
        'executedHistory',
      ] as const)
        venue.rewrite(name, rebated)
    },
    async (bot) => {
      const fill = await bot.said(isType('fill'))
      expect(Number(fill['fee'])).toBeLessThan(0)
      const summary = await summaryOf(bot)
      expect(summary).toMatchObject({ type: 'summary', agrees: true })
      expect(Number(summary?.['fees'])).toBeLessThan(0)
      expect(bot.lines.filter(isUnread)).toEqual([])
    },
  ))

const takeProfit = { takeProfitId: 901, takeProfit: '66000', stopLossId: null, stopLoss: null }

test('unread fields may be null, new or of another form: positions with a manual take profit', () =>
  trading(
    (venue) => {
      venue.rewrite(
        'openPositions',
        eachObject((fields) => ({
          ...fields,
          tpsl: takeProfit,
          pnl: null,
          margin: '-1',
          liquidationState: 'adl',
        })),
      )
      const odd = eachObject((fields) =>
        'deal_fee' in fields
          ? { ...fields, stp: null, rpi: 'no', oto: { otoId: 1 }, type: 7, status: null }
          : fields,
      )
      for (const name of ['openOrders', 'orderHistory'] as const) venue.rewrite(name, odd)
      venue.rewrite(
        'markets',
        eachObject((fields) => ({ ...fields, type: 'options', feePrec: null, isCollateral: 1 })),
      )
    },
    async (bot, folder) => {
      await bot.said(isType('fill'))
      const { stdout } = await rungsHere(['status', '--state-dir', folder])
      expect(stdout).toMatch(/^account read \d+ s ago$/m)
      expect(await summaryOf(bot)).toMatchObject({ agrees: true })
      expect(bot.lines.filter(isUnread)).toEqual([])
    },
  ))

const told = z.object({
  process: z.object({
    lost: z.object({ reason: z.string(), unreadable: z.literal(true) }),
  }),
})

test('an unreadable position is reported with its place, and bot and venue do not agree', () =>
  trading(
    (venue) =>
      // Always one, whatever the bot holds in the end.
      venue.rewrite('openPositions', () => [{ positionId: 1, market: 'BTC_PERP', amount: '1e-3' }]),
    async (bot, folder) => {
      await bot.said(isType('fill'))
      const alert = await bot.said(isUnread)
      const place = 'open positions: the bot cannot read [0].amount: "1e-3"'
      expect(alert['message']).toBe(`the account is not read completely: ${place}`)
      const json = await rungsHere(['status', '--json', '--state-dir', folder])
      expect(told.parse(JSON.parse(json.stdout)).process.lost.reason).toBe(place)
      const { stdout } = await rungsHere(['status', '--state-dir', folder])
      expect(stdout).toContain('the account is not read completely since ')
      expect(await summaryOf(bot)).toMatchObject({ agrees: false })
      // Each reading finds the same, and says it once.
      expect(bot.lines.filter(isUnread)).toHaveLength(1)
    },
  ))

test('an unreadable market is reported, and affects no other market', () =>
  trading(
    (venue) =>
      venue.rewrite(
        'markets',
        eachObject((fields) => (fields['name'] === 'ETH_PERP' ? { ...fields, minAmount: 'none' } : fields)),
      ),
    async (bot) => {
      const alert = await bot.said(isUnread)
      expect(alert['message']).toMatch(
        /^the bot places no order in a market that it does not read: markets: .*minAmount: "none"/,
      )
      await bot.said(isType('order-accepted'))
    },
  ))

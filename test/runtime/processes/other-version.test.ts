import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import { keysOf } from '#src/core/objects/objects.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { contract } from '#src/venues/whitebit/contract/endpoint-table.ts'
import type { Endpoint } from '#src/venues/whitebit/contract/endpoint.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { AccountReader, auditor, units } from '#test/network/account-records.ts'
import { isSlowRun } from '#test/properties/runs.ts'
import { isType, startBot, type Line } from '#test/runtime/support/bot-process.ts'
import { startFaultyVenue, type FaultyVenue } from '#test/support/faulty-venue.ts'
import { otherForm } from '#test/support/other-form.ts'
import { volatileAssets } from '#test/support/volatile-market.ts'
import { worldWith } from '#test/support/world.ts'

const speed = 60
/** A slow run trades for an hour of venue time. */
const hourMs = 3_600_000
const fillsLeast = 12
const rebate = { makerFee: '-0.01', takerFee: '0.05' }
const markets = Object.fromEntries(Object.keys(worldWith().markets).map((name) => [name, rebate]))
const keys = [
  { key: 'paper-key', secret: 'paper-secret', permissions: ['read', 'trade', 'funds', 'account'] },
  { ...auditor, permissions: ['read'] },
]
const takeProfit = { takeProfitId: 901, takeProfit: '66000', stopLossId: null, stopLoss: null }

/** What was filled of each order, and its fees. */
type Booked = ReadonlyMap<string, { amount: bigint; fee: bigint }>

function booked(rows: readonly { id: string; amount: bigint; fee: bigint }[]): Booked {
  const orders = new Map<string, { amount: bigint; fee: bigint }>()
  for (const { id, amount, fee } of rows) {
    const before = orders.get(id) ?? { amount: 0n, fee: 0n }
    orders.set(id, { amount: before.amount + amount, fee: before.fee + fee })
  }
  return new Map([...orders].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

const ofBot = (lines: readonly Line[]) =>
  booked(
    lines.filter(isType('fill')).map(({ order, amount, fee }) => ({
      id: String(order),
      amount: units(String(amount)),
      fee: units(String(fee)),
    })),
  )

const isUnread = ({ type, message }: Line) => type === 'alert' && /read/.test(String(message))

test('all strategies trade where makers earn and answers have other fields: each fill is booked', async () => {
  using folder = temporaryFolder()
  await using venue = await rebatingVenue()
  const file = folder.file('venue.yaml')
  const settings = [
    'clientIds: forever',
    'settle: 0s',
    'shortSide: true',
    'key: paper-key',
    'secret: paper-secret',
  ]
  writeFileSync(file, [`url: ${venue.url}`, ...settings].join('\n'))
  // At this speed a price of 90 s is old after 1.5 s: on a busy machine the strategies would never trade.
  const strategies = globSync('strategies/*.yaml')
    .toSorted()
    .map((path) => {
      const patient = folder.file(basename(path))
      writeFileSync(patient, readFileSync(path, 'utf8').replaceAll(/stale_after: \w+/g, 'stale_after: 2h'))
      return patient
    })
  expect(strategies).toHaveLength(9)
  const flags = ['--venue', file, '--speed', String(speed), '--state-dir', folder.file('state')]
  await using bot = startBot([...strategies, ...flags])
  const fills = () => bot.lines.filter(isType('fill')).length
  await bot.said(({ at }) => fills() >= fillsLeast && (!isSlowRun || at - (bot.lines[0]?.at ?? at) >= hourMs))
  // The market stops; then only an order that the bot still sends can fill, as taker.
  venue.stopTime()
  const isRead = async () => isDeepStrictEqual(ofBot(bot.lines), await dealsAt(venue))
  await expect.poll(isRead, { interval: 500 }).toBe(true)
  bot.kill('SIGTERM')
  expect((await bot.ended).code, bot.stderr()).toBe(0)
  expect(bot.lines.at(-1)).toMatchObject({ type: 'summary', agrees: true })
  const theirs = await dealsAt(venue)
  expect(ofBot(bot.lines)).toEqual(theirs)
  expect([...theirs.values()].some(({ fee }) => fee < 0n)).toBe(true)
  expect(bot.lines.filter(isUnread)).toEqual([])
})

async function dealsAt({ running }: FaultyVenue): Promise<Booked> {
  const { deals } = await new AccountReader().read(running.url)
  return booked(deals.map(({ clientId: id, amount, fee }) => ({ id, amount, fee })))
}

/** Makers earn, positions have a take profit by hand, and each answer has unknown fields and only the needed ones of ours. */
async function rebatingVenue() {
  let stopped: { now: number; monotonic: number } | undefined
  const clock = {
    ...systemClock,
    now: () => stopped?.now ?? systemClock.now(),
    monotonic: () => stopped?.monotonic ?? systemClock.monotonic(),
  }
  const venue = await startFaultyVenue({
    // An hour has enough fills.
    world: worldWith({
      ...(!isSlowRun && { assets: volatileAssets }),
      markets,
      accounts: { paper: { keys } },
      // Once the market has stopped, no time passes, and a limit would never allow the last readings.
      switches: { rateLimits: 'off' },
    }),
    clock,
    profile: 'full',
    seed: 'another version',
    speed,
    sources: { seeded: true },
  })
  for (const name of keysOf(contract)) {
    const row: Endpoint = contract[name]
    venue.rewrite(name, (answer) => {
      const other = otherForm(row, answer)
      const isPositions = name === 'openPositions' && Array.isArray(other)
      return isPositions ? other.map((each: object) => ({ ...each, tpsl: takeProfit, pnl: null })) : other
    })
  }
  return Object.assign(venue, {
    stopTime() {
      stopped = { now: systemClock.now(), monotonic: systemClock.monotonic() }
    },
    [Symbol.asyncDispose]: () => venue.close(),
  })
}

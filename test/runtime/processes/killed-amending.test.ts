import { expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { chanceOf } from '#test/fuzz/chance.ts'
import { isSlowRun, seed, times } from '#test/properties/runs.ts'
import { withAmendingMaker, type AmendingMaker } from '#test/runtime/support/amending-maker.ts'
import { isType, startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { differencesNow } from '#test/runtime/support/venue-records.ts'
import { realTime } from '#test/support/real-time.ts'

type Call = Parameters<Parameters<AmendingMaker['venue']['intercept']>[1]>[0]
type Answer = Awaited<ReturnType<Parameters<AmendingMaker['venue']['intercept']>[1]>>
type Death = (about: {
  /** Ends the process, and waits for its end. */
  kill: () => Promise<void>
  deliver: () => Promise<Answer>
  /** Another trader fills a part of the order that is to be amended, or all of it. */
  fill: (part: 'a part' | 'the whole') => Promise<void>
}) => Promise<Answer>

const named = z.looseObject({ order_id: z.int() })
const orderOf = ({ body }: Call) => named.parse(JSON.parse(body.toString())).order_id

async function lost(): Promise<never> {
  throw new Error('the request did not arrive')
}

async function asExecuted({ kill, deliver }: Parameters<Death>[0]): Promise<Answer> {
  const answer = deliver()
  await kill()
  return answer
}

const chance = chanceOf(seed)
const delayed = 'while the venue delays it'
/** 4 s of real time: usually longer than the start of the next process. */
const delaySeconds = 40
/** When the process of the bot dies, as seen from the request to amend; in `npm run programs` the first one. */
const deaths: Record<string, Death> = {
  'before its answer arrives': async ({ kill, deliver }) => {
    const answer = await deliver()
    await kill()
    return answer
  },
  'before it arrives': ({ kill }) => kill().then(lost),
  'not yet at the venue, and the venue executes it': ({ kill, deliver }) => kill().then(deliver),
  'not yet at the venue, and the order fills in part before': ({ kill, deliver, fill }) =>
    kill()
      .then(() => fill('a part'))
      .then(deliver),
  'not yet at the venue, and the order fills whole before': ({ kill, deliver, fill }) =>
    kill()
      .then(() => fill('the whole'))
      .then(deliver),
  'before it arrives, and the order fills in part': ({ kill, fill }) =>
    kill()
      .then(() => fill('a part'))
      .then(lost),
  'as the venue executes it': asExecuted,
  'just after its answer': async ({ kill, deliver }) => {
    const answer = await deliver()
    setImmediate(() => void kill())
    return answer
  },
  'soon after its answer': async ({ kill, deliver }) => {
    const answer = await deliver()
    void realTime(chance.below(25)).then(kill)
    return answer
  },
  [delayed]: asExecuted,
}
/** The process may send its next amendment before it dies. */
const later = new Set(['just after its answer', 'soon after its answer'])
const rounds = times(1, 4)

for (const [when, death] of Object.entries(deaths).slice(0, isSlowRun ? undefined : 1)) {
  test(`a bot that is killed ${when} (an amendment) has one bid and one ask again, and all fills`, async () => {
    using folder = temporaryFolder()
    await withAmendingMaker(
      folder,
      (maker) => killedAgainAndAgain(maker, { death, isLater: later.has(when) }),
      when === delayed ? delaySeconds : 0,
    )
  }, 600_000)
}

async function killedAgainAndAgain(
  maker: AmendingMaker,
  how: { death: Death; isLater: boolean },
): Promise<void> {
  let bot = startBot(maker.words)
  try {
    await maker.quoted()
    for (let round = 0; round < rounds; round++) {
      // The bid is amended, and then the ask: the process dies at one or at the other.
      await killAt(maker, bot, { nth: 1 + (round % 2), ...how })
      bot = startBot(maker.words)
      // The next process has read the account.
      await bot.said(isType('dashboard-ready'))
      await maker.quoted()
    }
    bot.kill('SIGTERM')
    expect(await bot.ended, bot.stderr()).toMatchObject({ code: 0 })
    expect(await differencesNow(maker.venue.running.url, maker.stateDir)).toEqual([])
    expect(maker.open()).toHaveLength(2)
  } finally {
    await bot[Symbol.asyncDispose]()
  }
}

/** Moves the price, and ends the process at the nth amendment that follows. */
async function killAt(
  maker: AmendingMaker,
  bot: StartedBot,
  { nth, death, isLater }: { nth: number; death: Death; isLater: boolean },
): Promise<void> {
  let count = 0
  maker.venue.intercept('modifyOrder', (call, deliver) => {
    count += 1
    if (count !== nth) return deliver(call)
    const amended = maker.open().find(({ venueId }) => venueId === orderOf(call))
    return death({
      async kill() {
        bot.kill('SIGKILL')
        await bot.ended
      },
      deliver: () => deliver(call),
      async fill(part) {
        if (!amended) throw new Error('the request names no open order')
        await maker.fill(amended, part === 'a part' ? '0.001' : amended.left)
      },
    })
  })
  await maker.move(60)
  expect(await bot.ended, bot.stderr()).toMatchObject({ signal: 'SIGKILL' })
  expect(isLater ? [nth, nth + 1] : [nth]).toContain(count)
}

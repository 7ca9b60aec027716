import { expect, test } from 'vitest'
import { startExchange, temporaryFolder } from '#test/cli/support/process.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { acceptedIn, isType, startBot, type StartedBot } from '#test/runtime/support/bot-process.ts'
import { knownIn, playedAgain, stateKept, venueFile } from '#test/research/recording/recorded-runs.ts'

const grid = 'strategies/01-static-grid.yaml'

/** The tags in ids of orders, each once. */
const tagsIn = (ids: readonly string[]) => [
  ...new Set(ids.map((id) => /\.([a-z]\w)\w+$/.exec(id)?.[1] ?? '')),
]
const isStop = isType('stopped')

/** Ends the bot in good order, and gives the ids of its accepted orders. */
async function ended(bot: StartedBot): Promise<string[]> {
  bot.kill('SIGTERM')
  expect(await bot.ended).toMatchObject({ code: 0 })
  return acceptedIn(bot.lines)
}

test('rungs run: a second folder explains what it found, --found-orders chooses, and a tape repeats the choice', async () => {
  using folder = temporaryFolder()
  await using exchange = await startExchange([
    '--profile',
    'full',
    '--market',
    'seeded',
    '--seed',
    'identity',
    '--speed',
    '60',
  ])
  const venue = venueFile(folder, exchange.url)
  const begin = (state: string, ...more: string[]) =>
    startBot([grid, '--venue', venue, '--speed', '60', '--state-dir', folder.file(state), ...more])
  let first: string[]
  {
    await using bot = begin('first')
    await bot.said(isType('order-accepted'))
    first = await ended(bot)
    expect(tagsIn(first)).toEqual([expect.stringMatching(/^[a-z]\w$/)])
  }
  {
    await using bot = begin('second')
    const { reason } = await bot.said(isStop)
    expect(reason).toContain(`of sgrid in BTC_USDT with the tag ${tagsIn(first)[0]}`)
    expect(reason).toContain('--found-orders adopt (manage them), cancel, or ignore')
    const { stdout } = await rungsHere(['status', '--state-dir', folder.file('second')])
    expect(stdout).toContain('--found-orders')
    expect(await ended(bot)).toEqual([])
  }
  {
    // The first folder knows its orders: it goes on, under the same tag.
    await using bot = begin('first')
    await bot.said(isType('stream-connected'))
    expect(bot.lines.filter(isStop)).toEqual([])
    expect(tagsIn([...first, ...(await ended(bot))])).toEqual(tagsIn(first))
  }
  const tape = folder.file('cancel.tape')
  {
    await using bot = begin('second', '--found-orders', 'cancel', '--record', tape)
    await bot.said(isType('order-accepted'))
    expect(bot.lines.filter(isStop)).toEqual([])
    const ids = await ended(bot)
    expect(tagsIn(ids)).toHaveLength(1)
    // Two folders have the same tag in one of 936 cases. Even then the second one sends no id of the first one.
    expect(bot.lines.filter(({ reason }) => String(reason).includes('already used'))).toEqual([])
  }
  const played = await playedAgain(tape)
  const { playback, failure } = played
  expect({ divergence: playback.divergence, failure }).toEqual({ divergence: null, failure: undefined })
  expect(knownIn(played.state)).toEqual(knownIn(stateKept(folder.file('second'))))
})

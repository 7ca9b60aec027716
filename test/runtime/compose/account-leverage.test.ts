import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agreeOnLeverage, leverageFaults, leverageWanted } from '#src/runtime/compose/account-leverage.ts'
import type { LogEvent } from '#src/runtime/loop/log-event.ts'
import { gridWith, strategyIn } from '#test/strategy/strategy-files.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { strategyState } from '#test/engine/support/working-state.ts'
import { adapterOf } from '#test/support/adapter.ts'
import { openVenue } from '#test/support/venue.ts'

const fileWith = (leverage: number, name = 'sgrid') =>
  gridWith(['name: sgrid', `name: ${name}\nleverage: ${leverage}`])

/** With a position, or without one. */
function stateWhere(holds: boolean) {
  const own = strategyState()
  for (const holding of Object.values(own.holdings)) holding.position = holds ? '0.1' : '0'
  expect(Object.keys(own.holdings)).not.toEqual([])
  return { strategies: { sgrid: own } }
}

/** The account has the leverage 1. */
async function agreed(about: { declared?: number; sets?: boolean; leverage?: number; holds?: boolean }) {
  const venue = await openVenue('process', { profile: 'full' })
  const said: Parameters<LogEvent>[0][] = []
  const error: unknown = await agreeOnLeverage(
    { leverage: about.leverage ?? 5, path: 'a.yaml' },
    {
      ground: { venue: adapterOf(venue.paper), setsLeverage: about.sets ?? true },
      declared: about.declared ?? null,
      state: stateWhere(about.holds ?? false),
      say: (event) => said.push(event),
    },
  ).then(
    () => undefined,
    (error: unknown) => error,
  )
  const read = await venue.paper.accountSummary()
  await venue.close()
  return { error, said, leverage: read.kind === 'answer' ? read.value.leverage : undefined }
}

test('the leverage of the account is set if that is wanted, and reported', async () => {
  expect(await agreed({})).toEqual({
    error: undefined,
    said: [{ type: 'leverage-set', leverage: 5, reason: 'a.yaml needs it, and the account had 1' }],
    leverage: 5,
  })
})

test('an account that has the leverage already is left alone', async () => {
  expect(await agreed({ leverage: 1, sets: false })).toEqual({ error: undefined, said: [], leverage: 1 })
})

test('without --yes, another leverage refuses the start with both values and the fix', async () => {
  const { error, leverage } = await agreed({ sets: false })
  expect(error).toMatchObject({
    code: 'LEVERAGE_DIFFERS',
    seen: 'the account has 1, and a.yaml needs 5',
    fix: expect.stringContaining('--yes'),
  })
  expect(leverage).toBe(1)
})

test('while positions are open, another leverage is only reported, so that exits work', async () => {
  const reason = 'the account has 1, and a.yaml needs 5'
  const reported = {
    error: undefined,
    said: [{ type: 'leverage-differs', reason }],
    leverage: 1,
  }
  expect(await agreed({ holds: true, sets: true })).toEqual(reported)
  expect(await agreed({ holds: true, sets: false })).toEqual(reported)
})

test('a venue file that states another leverage refuses the start: frozen money would be explained by it', async () => {
  const { error, leverage } = await agreed({ declared: 10 })
  expect(error).toMatchObject({ seen: 'the venue file states 10, and a.yaml needs 5' })
  expect(leverage).toBe(1)
})

test('two files that need different leverages are refused before anything starts', async () => {
  using folder = temporaryFolder()
  const paths = [5, 10].map((leverage, index) => {
    const path = folder.file(`${index}.yaml`)
    writeFileSync(path, fileWith(leverage, `grid${index}`))
    return path
  })
  const { code, stderr } = await rungsHere([
    'run',
    ...paths,
    '--for',
    '1s',
    '--state-dir',
    folder.file('state'),
  ])
  expect(code).toBe(78)
  expect(stderr).toMatch(
    /0\.yaml needs 5, and \S*1\.yaml needs 10: an account has one leverage\n.*same leverage/,
  )
})

test('files without a leverage want none, and a running bot refuses a new one', () => {
  const [read, other] = [strategyIn(fileWith(5)), strategyIn(gridWith())]
  const [strategy, plain] = [read.strategy, other.strategy]
  expect(leverageWanted([{ path: 'a.yaml', read: other }])).toBeUndefined()
  expect(leverageWanted([other, read].map((each) => ({ path: 'b.yaml', read: each })))).toEqual({
    leverage: 5,
    path: 'b.yaml',
  })
  expect(leverageFaults(strategy, 5)).toEqual([])
  expect(leverageFaults(plain, 5)).toEqual([])
  expect(leverageFaults(strategy, 3)).toMatchObject([{ path: ['leverage'] }])
})

test('the embedded exchange of a run is set without a question, and keeps it for the next run', async () => {
  using folder = temporaryFolder()
  const path = folder.file('a.yaml')
  writeFileSync(path, fileWith(5))
  const words = [path, '--state-dir', folder.file('state')]
  {
    await using bot = startBot(words)
    await bot.said(isType('strategy-loaded'))
    expect(bot.lines.find(isType('leverage-set'))).toMatchObject({ leverage: 5 })
    bot.kill('SIGTERM')
    await bot.ended
  }
  await using bot = startBot(words)
  await bot.said(isType('strategy-loaded'))
  expect(bot.lines.filter(isType('leverage-set'))).toEqual([])
})

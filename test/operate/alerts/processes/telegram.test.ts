import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TelegramCommands, type CommandContext } from '#src/operate/alerts/telegram-commands.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { atWork } from '#test/operate/dashboard/dashboard-fixture.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { startTelegram, telegramSettings } from '../telegram-service.ts'

function started() {
  const { engine } = atWork('01-static-grid')
  const { state } = engine
  const codes = ['1111', '2222', '3333']
  const commands = new TelegramCommands({ chat: '-5', users: ['7', '8'] }, () => codes.shift() ?? '', 'attic')
  const view = (): CommandContext => ({ status: statusOf(state, new Map(), null), state })
  const say = (text: string, { user = '7', chat = '-5', date = 0 } = {}) =>
    commands.answer({ chat, user, text, date }, view())
  return { say }
}

test('only the named users in the named chat get an answer', () => {
  const { say } = started()
  expect(say('status', { user: '9' })).toBeUndefined()
  expect(say('status', { chat: '-6' })).toBeUndefined()
  expect(say('status')?.text).toMatch(
    /^equity 100000\.00\nsgrid: result 0\.00, drawdown 0\.00, 12 open orders$/,
  )
  expect(say('/Positions@rungs_bot')?.text).toBe('No open positions.')
  expect(say('profit', { user: '8' })?.text).toMatch(/^all: 0\.00\nsgrid: result 0\.00, /)
})

test('stop and flatten act only after their author has confirmed them in time', () => {
  const { say } = started()
  expect(say('flatten sgrid')).toEqual({
    text: [
      'attic: Flatten sgrid: cancel the orders and close the positions at the market.',
      'To confirm, send within 60 s: /yes 1111',
    ].join('\n'),
  })
  expect(say('yes 1111', { user: '8' })?.command).toBeUndefined()
  // A wrong word ends the question.
  expect(say('yes 1111')?.text).toMatch(/^Nothing was done/)

  say('flatten sgrid')
  // Between question and confirmation one may look.
  say('positions', { date: 59 })
  expect(say('/yes 2222', { date: 60 })?.command).toEqual({
    kind: 'operator',
    act: 'halt',
    strategy: 'sgrid',
    reason: 'by Telegram user 7',
    flatten: true,
  })
  // The answer may have been lost.
  expect(say('yes 2222', { date: 61 })).toEqual({
    text: 'This command was executed before. To see its effect, send: /status',
  })

  say('stop')
  expect(say('yes 3333', { date: 61 })).toEqual({
    text: 'Nothing was done: the confirmation came too late.',
  })
})

test('a halt is lifted at the machine, and mistakes do nothing', () => {
  const { say } = started()
  expect(say('resume')?.text).toMatch(/rungs resume$/)
  expect(say('stop grd')?.text).toMatch(/^Nothing was done: there is no strategy grd/)
  for (const text of ['', 'constructor', 'stop all now', 'sell everything', 'yes'])
    expect(say(text)).toEqual({
      text: expect.stringMatching(/^(?:There is no such command|Nothing was done)/),
    })
})

const token = '123456:token-of-mine'
const strategy = 'strategies/01-static-grid.yaml'
/** What is tested here does not depend on the market. */
const slowly = ['--speed', '1']

test('a running bot answers, and stops by Telegram; commands from before its start are not executed', async () => {
  using folder = temporaryFolder()
  await using telegram = await startTelegram(token)
  const alerts = telegramSettings(folder, telegram.url, token)
  telegram.write('stop')
  const state = ['--state-dir', folder.file('state')]
  await using bot = startBot([strategy, '--alerts', alerts, ...slowly, ...state])
  await bot.said(isType('order-accepted'))
  telegram.write('stop', { user: 6 })
  telegram.write('status')
  expect(await telegram.answer(1)).toMatch(/\nsgrid: result /)
  telegram.write('stop')
  const question = await telegram.answer(2)
  expect(question).toMatch(/: Stop all strategies: /)
  telegram.write(/\/yes \d{4}$/.exec(question)?.[0] ?? '')
  expect(await telegram.answer(3)).toMatch(/^The command is executed/)
  await bot.said(isType('halted'))
  const { stdout } = await rungsHere(['status', '--json', ...state])
  expect(JSON.parse(stdout)).toMatchObject({ strategies: [{ halted: 'by Telegram user 7' }] })
  // The call that waits for messages delays no shutdown.
  const endedAt = performance.now()
  bot.kill('SIGTERM')
  expect(await bot.ended).toEqual({ code: 0, signal: null })
  expect(performance.now() - endedAt).toBeLessThan(20_000)
  expect(JSON.stringify(bot.lines) + bot.stderr()).not.toContain('token-of-mine')
})

test('commands need a chat of their own users, and an outage is one alert', async () => {
  using folder = temporaryFolder()
  writeFileSync(folder.file('token'), token, { mode: 0o600 })
  const file = (commands: string) =>
    writeFileSync(
      folder.file('alerts.yaml'),
      `telegram: { me: { url: 'http://127.0.0.1:9', chat: '7', tokenFile: token, commands: ${commands} } }`,
    )
  const words = ['--alerts', folder.file('alerts.yaml'), '--state-dir', folder.file('state')]
  file('{ users: [] }')
  expect(await rungsHere(['run', strategy, ...words])).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('telegram.me.commands.users'),
  })
  file("{ users: ['7'] }")
  await using bot = startBot([strategy, ...slowly, ...words])
  await bot.said(
    ({ type, message }) => type === 'alert' && String(message).startsWith('Telegram commands of me '),
  )
  await bot.said(isType('order-accepted'))
  bot.kill('SIGTERM')
  expect((await bot.ended).code).toBe(0)
})

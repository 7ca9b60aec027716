import { expect, test } from 'vitest'
import { TelegramCommands } from '#src/operate/alerts/telegram-commands.ts'
import { TelegramPoll, type TelegramPollParts } from '#src/operate/alerts/telegram-poll.ts'
import type { OperatorCommand } from '#src/operate/dashboard/operator-commands.ts'
import { statusOf } from '#src/operate/dashboard/status.ts'
import { systemClock } from '#src/core/time/clock.ts'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { atWork } from '#test/operate/dashboard/dashboard-fixture.ts'
import { startTelegram } from './telegram-service.ts'

const token = '123456:token-of-mine'

/** A poll of its own Telegram service, and what it did. */
async function polling(about: Partial<TelegramPollParts> = {}) {
  const telegram = await startTelegram(token)
  const { state } = atWork('01-static-grid').engine
  const commands = new TelegramCommands({ chat: '7', users: ['7'] }, () => '1111', 'attic')
  const done: { executed: OperatorCommand[]; broken: unknown[]; lost: string[] } = {
    executed: [],
    broken: [],
    lost: [],
  }
  const poll = new TelegramPoll({
    url: telegram.url,
    token,
    clock: systemClock,
    answer: (message, context) => commands.answer(message, context),
    view: () => ({ status: statusOf(state, new Map(), null), state }),
    operate: async (command) => void done.executed.push(command),
    onLost: (reason) => done.lost.push(reason),
    onBroken: (error) => done.broken.push(error),
    hidden: (text) => text,
    ...about,
  })
  poll.start()
  await telegram.polled()
  return {
    ...done,
    telegram,
    async [Symbol.asyncDispose]() {
      await poll.end()
      await telegram[Symbol.asyncDispose]()
    },
  }
}

test('messages of strangers do not delay a confirmation', async () => {
  await using run = await polling()
  const { telegram } = run
  telegram.write('flatten')
  expect(await telegram.answer(1)).toMatch(/\/yes 1111$/)
  for (let count = 0; count < 250; count += 1) telegram.write('hello', { user: 666, chat: 666 })
  telegram.write('/yes 1111')
  // One message a call and a pause of 200 ms would take 50 s.
  const askedAt = performance.now()
  expect(await telegram.answer(2)).toMatch(/^The command is executed/)
  expect(performance.now() - askedAt).toBeLessThan(30_000)
  expect(run.executed).toHaveLength(1)
  expect(telegram.sent.every(({ chat_id: chat }) => chat === '7')).toBe(true)
})

test('a lost answer is sent again, and a command that is confirmed twice is executed once', async () => {
  await using run = await polling()
  const { telegram } = run
  telegram.write('stop')
  await telegram.answer(1)
  telegram.refuse(1)
  telegram.write('yes 1111')
  expect(await telegram.answer(2)).toMatch(/^The command is executed/)
  telegram.write('yes 1111')
  expect(await telegram.answer(3)).toMatch(/^This command was executed before/)
  expect(run.executed).toHaveLength(1)
  expect(run.lost).toEqual([])
})

test('answers leave without secrets', async () => {
  const secret = new Secret('key-of-mine')
  await using run = await polling({
    answer: () => ({ text: 'the venue refused key-of-mine' }),
    hidden: (text) => secret.hiddenIn(text),
  })
  run.telegram.write('status')
  expect(await run.telegram.answer(1)).toBe('the venue refused [secret]')
})

test('an error of ours is reported, and the next message is answered', async () => {
  let count = 0
  const answer = () => {
    count += 1
    if (count === 1) throw new Error('a defect')
    return { text: 'fine' }
  }
  await using run = await polling({ answer })
  run.telegram.write('status')
  run.telegram.write('status')
  expect(await run.telegram.answer(1)).toBe('fine')
  expect(run.broken).toMatchObject([{ message: 'a defect' }])
  expect(run.lost).toHaveLength(1)
})

import { createHmac } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { Secret } from '#src/venues/whitebit/contract/wire/signing.ts'
import { AlertTarget, waitingMost } from '#src/operate/alerts/alert-target.ts'
import {
  ntfyTarget,
  signatureHeader,
  telegramTarget,
  timestampHeader,
  webhookTarget,
  type TargetType,
} from '#src/operate/alerts/target-types.ts'
import { ManualClock, systemClock } from '#src/core/time/clock.ts'
import { startListener, type Listener } from './listener.ts'
import { userDocuments } from '#test/docs/documents.ts'
import { patience } from '#test/support/patience.ts'

const attemptMs = 10_000
const begunAt = Date.UTC(2026, 10, 21)

/** A target with a manual clock, and the outcomes of its alerts. */
function targetAt(targetType: TargetType) {
  const clock = new ManualClock(begunAt)
  const pauses: number[] = []
  const outcomes: string[] = []
  const target = new AlertTarget({
    name: 'phone',
    targetType,
    host: 'attic',
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep(ms, signal) {
        if (ms !== attemptMs) pauses.push(ms)
        return clock.sleep(ms, signal)
      },
    },
    random: () => 1,
    onOutcome: (outcome, reason) =>
      void outcomes.push(reason === undefined ? outcome : `${outcome}: ${reason}`),
  })
  const tell = (title: string) =>
    target.enqueue({ type: 'alert', level: 'warn', cause: title, title, text: 'the price left its range' })
  return {
    target,
    clock,
    outcomes,
    tell,
    /** Waits for the n-th pause, lets it pass, and returns its length. */
    afterPause: async (count: number) => {
      await vi.waitFor(() => expect(pauses.length).toBeGreaterThanOrEqual(count), patience)
      const ms = pauses[count - 1] ?? 0
      clock.advance(ms)
      return ms
    },
    came: (count: number) => vi.waitFor(() => expect(outcomes).toHaveLength(count), patience),
  }
}

const secret = 'webhook-secret-that-nobody-knows'
const webhookOf = ({ url }: Listener) => webhookTarget({ url: `${url}/rungs`, secret: new Secret(secret) })
const titles = ({ heard }: Listener) =>
  heard.map(({ body }) => {
    const { title }: { title: string } = JSON.parse(body)
    return title
  })

test('a webhook is signed over time and body, as documented', async () => {
  await using listener = await startListener()
  const { tell, came, outcomes } = targetAt(webhookOf(listener))
  tell('halted grid')
  await came(1)
  expect(outcomes).toEqual(['told'])
  const [heard] = listener.heard
  expect(heard).toMatchObject({ method: 'POST', path: '/rungs' })
  const blocks = userDocuments.flatMap((document) => document.blocks)
  const shown = blocks.find(({ text }) => text.includes('function isFromRungs('))?.text ?? ''
  const { isFromRungs }: { isFromRungs: (...words: unknown[]) => boolean } = await import(
    `data:text/javascript,${encodeURIComponent(shown)}`
  )
  vi.useFakeTimers({ now: begunAt, toFake: ['Date'] })
  const [body = '', headers = {}] = [heard?.body, heard?.headers]
  expect(isFromRungs(secret, headers, body)).toBe(true)
  expect(isFromRungs('another', headers, body)).toBe(false)
  expect(isFromRungs(secret, headers, body.replace('warn', 'info'))).toBe(false)
  expect(isFromRungs(secret, { ...headers, [timestampHeader]: String(begunAt / 1000 + 1) }, body)).toBe(false)
  expect(isFromRungs(secret, {}, body)).toBe(false)
  vi.setSystemTime(begunAt + 301_000)
  expect(isFromRungs(secret, headers, body)).toBe(false)
  vi.useRealTimers()
  const timestamp = String(heard?.headers[timestampHeader])
  expect(timestamp).toBe(String(begunAt / 1000))
  expect(heard?.headers[signatureHeader]).toBe(
    createHmac('sha512', secret).update(`${timestamp}.${heard?.body}`).digest('hex'),
  )
  expect(JSON.parse(heard?.body ?? '')).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    host: 'attic',
    time: '2026-11-21T00:00:00.000Z',
    type: 'alert',
    level: 'warn',
    title: 'halted grid',
    text: 'the price left its range',
  })
})

test('Telegram receives plain text without markup', async () => {
  await using listener = await startListener({ status: 200, body: '{"ok":true,"result":{}}' })
  const { tell, came, outcomes } = targetAt(
    telegramTarget({ url: listener.url, chat: '-100123', token: '123:the-token' }),
  )
  const hostile = '<b>*_[x](tg://user?id=1)`\\'
  tell(hostile)
  await came(1)
  expect(outcomes).toEqual(['told'])
  const [heard] = listener.heard
  expect(heard?.path).toBe('/bot123:the-token/sendMessage')
  expect(JSON.parse(heard?.body ?? '')).toEqual({
    chat_id: '-100123',
    text: `${hostile}\nthe price left its range\nwarn · attic · 2026-11-21T00:00:00.000Z`,
    link_preview_options: { is_disabled: true },
  })
})

test('ntfy receives topic, title and priority as JSON, and the token in a header', async () => {
  await using listener = await startListener({ status: 200, body: '{"id":"x"}' })
  const { tell, came, outcomes } = targetAt(
    ntfyTarget({ url: listener.url, topic: 'secret-topic', token: 'tk_1' }),
  )
  tell('Grüße 𝟙')
  await came(1)
  expect(outcomes).toEqual(['told'])
  const [heard] = listener.heard
  expect(heard).toMatchObject({ path: '/', headers: { authorization: 'Bearer tk_1' } })
  expect(JSON.parse(heard?.body ?? '')).toMatchObject({
    topic: 'secret-topic',
    title: 'Grüße 𝟙',
    priority: 4,
  })
})

test('a failed delivery is retried with growing pauses, the same id and a new signature', async () => {
  await using listener = await startListener()
  listener.reply({ status: 500 }, 'reset', { status: 503, body: 'garbage' }, { status: 204 })
  const { tell, came, afterPause, outcomes } = targetAt(webhookOf(listener))
  tell('one')
  expect([await afterPause(1), await afterPause(2), await afterPause(3)]).toEqual([1000, 2000, 4000])
  await came(1)
  expect(outcomes).toEqual(['told'])
  const ids = listener.heard.map(({ body }) => {
    const { id }: { id: string } = JSON.parse(body)
    return id
  })
  expect(ids).toHaveLength(4)
  expect(new Set(ids).size).toBe(1)
  expect(new Set(listener.heard.map(({ headers }) => headers[signatureHeader])).size).toBe(4)
})

test('a target that hangs before or within its answer is retried after ten seconds', async () => {
  await using listener = await startListener()
  listener.reply('hang', 'half', { status: 200 })
  const { tell, came, afterPause, clock, outcomes } = targetAt(webhookOf(listener))
  tell('one')
  await listener.until(1)
  clock.advance(attemptMs)
  await afterPause(1)
  await listener.until(2)
  clock.advance(attemptMs)
  await afterPause(2)
  await came(1)
  expect(outcomes).toEqual(['told'])
})

test('a retry-after is respected, in the header or as Telegram sends it', async () => {
  await using listener = await startListener()
  listener.reply({ status: 429, headers: { 'retry-after': '30' } }, { status: 200 })
  const one = targetAt(webhookOf(listener))
  one.tell('one')
  expect([await one.afterPause(1), await one.afterPause(2)]).toEqual([1000, 29_000])
  await one.came(1)
  listener.reply(
    { status: 429, body: '{"ok":false,"parameters":{"retry_after":7}}' },
    { status: 200, body: '{"ok":true}' },
  )
  const other = targetAt(telegramTarget({ url: listener.url, chat: '1', token: 'x' }))
  other.tell('one')
  expect([await other.afterPause(1), await other.afterPause(2)]).toEqual([1000, 6000])
  await other.came(1)
  expect([one.outcomes, other.outcomes]).toEqual([['told'], ['told']])
})

test('a refusal is final, and a 200 without confirmation of Telegram is retried', async () => {
  await using listener = await startListener({ status: 403, body: '{"ok":false}' })
  const refused = targetAt(webhookOf(listener))
  refused.tell('one')
  await refused.came(1)
  listener.reply({ status: 302, headers: { location: 'https://elsewhere.example' } })
  refused.tell('two')
  await refused.came(2)
  expect(refused.outcomes).toEqual(['failed: the target answered 403', 'failed: the target answered 302'])
  expect(listener.heard).toHaveLength(2)
  listener.reply({ status: 200, body: '<html>Please log in</html>' }, { status: 200, body: '{"ok":true}' })
  const portal = targetAt(telegramTarget({ url: listener.url, chat: '1', token: 'x' }))
  portal.tell('one')
  await portal.afterPause(1)
  await portal.came(1)
  expect(portal.outcomes).toEqual(['told'])
})

test('after 15 minutes of failures the next alert is sent', async () => {
  await using listener = await startListener({ status: 500 })
  const { tell, clock, outcomes, afterPause } = targetAt(webhookOf(listener))
  tell('old')
  tell('new')
  for (let pause = 1; outcomes.length === 0; pause += 1) {
    await afterPause(pause)
    await listener.until(pause)
    expect(clock.monotonic()).toBeLessThan(16 * 60_000)
  }
  expect(clock.monotonic()).toBeGreaterThan(13 * 60_000)
  expect(outcomes[0]).toMatch(/^failed: the target answered 500, after \d+ attempts$/)
  listener.reply({ status: 200 })
  await vi.waitFor(() => {
    clock.advance(1000)
    expect(outcomes).toHaveLength(2)
  }, patience)
  expect(titles(listener).at(-1)).toBe('new')
})

test('many alerts respect the rate limit, and a full queue drops the oldest', async () => {
  await using listener = await startListener()
  const { target, tell, outcomes, came, clock } = targetAt(webhookOf(listener))
  for (let each = 0; each < waitingMost + 30; each += 1) tell(`n${each}`)
  expect(target.waiting).toBe(waitingMost)
  expect(outcomes).toEqual(Array.from({ length: 30 }, () => 'dropped: 100 other alerts wait already'))
  await came(30 + 20)
  expect(listener.heard).toHaveLength(20)
  clock.advance(60_000)
  await came(30 + 40)
  expect(titles(listener)).toEqual(Array.from({ length: 40 }, (_, each) => `n${30 + each}`))
})

test('shutdown waits for one last attempt of each alert, and not for a dead target', async () => {
  await using listener = await startListener({ status: 500 })
  const { target, tell, afterPause, outcomes } = targetAt(webhookOf(listener))
  tell('one')
  tell('two')
  await afterPause(1)
  await listener.until(2)
  listener.reply({ status: 200 })
  await target.end(20_000)
  expect(outcomes).toEqual(['told', 'told'])
  expect(titles(listener)).toEqual(['one', 'one', 'one', 'two'])
  await using dead = await startListener('hang')
  const silent = targetAt(webhookOf(dead))
  silent.tell('one')
  silent.tell('two')
  await dead.until(1)
  await silent.target.end(50)
  expect(silent.outcomes).toEqual(['failed: no answer (timeout)', 'failed: the process ended'])
})

test('shutdown respects a retry-after', async () => {
  await using listener = await startListener({ status: 429, headers: { 'retry-after': '600' } })
  const { target, tell, afterPause, outcomes } = targetAt(webhookOf(listener))
  tell('one')
  await afterPause(1)
  await target.end(20_000)
  expect(outcomes).toEqual(['failed: the process ended before the first attempt'])
  expect(listener.heard).toHaveLength(1)
})

test('with the system clock, an alert is sent after the retry-after of its target', async () => {
  await using listener = await startListener()
  const outcomes: string[] = []
  const targets = Array.from(
    { length: 5 },
    (_, index) =>
      new AlertTarget({
        name: `phone ${index}`,
        targetType: webhookOf(listener),
        host: 'attic',
        clock: systemClock,
        random: () => index / 5,
        onOutcome: (outcome, reason = '') => void outcomes.push(`${outcome}${reason}`),
      }),
  )
  const busy = { status: 429, headers: { 'retry-after': '1' } }
  listener.reply(...targets.map(() => busy), { status: 200 })
  for (const target of targets)
    target.enqueue({ type: 'alert', level: 'warn', cause: 'grid', title: 'halted grid', text: '' })
  await vi.waitFor(() => expect(outcomes).toHaveLength(5), patience)
  expect(outcomes).toEqual(targets.map(() => 'told'))
})

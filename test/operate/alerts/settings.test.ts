import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { Alert } from '#src/operate/alerts/alert.ts'
import { loadAlerts } from '#src/operate/alerts/alert-settings.ts'
import { BotError } from '#src/core/errors/bot-error.ts'
import { temporaryFolder } from '#test/cli/support/process.ts'

const example = new URL('../../../config/alerts.example.yaml', import.meta.url)
const secrets = {
  'telegram-token': '12345:telegram-token-of-mine',
  'ntfy-topic': 'topic-of-mine',
  'webhook-secret': 'webhook-secret-of-mine',
  'heartbeat-url': 'https://beats.example/ping/of-mine',
}

function folderWith(text: string) {
  const folder = temporaryFolder()
  const path = folder.file('alerts.yaml')
  writeFileSync(path, text)
  for (const [name, secret] of Object.entries(secrets))
    writeFileSync(folder.file(name), `${secret}\n`, { mode: 0o600 })
  return { path, file: folder.file, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

/** The error of an invalid file. */
function saidOf(text: string, change: (file: (name: string) => string) => void = () => {}): string {
  using folder = folderWith(text)
  change(folder.file)
  try {
    loadAlerts(folder.path)
  } catch (error) {
    if (error instanceof BotError) return error.message
    throw error
  }
  return 'nothing'
}

const webhook = (more: string) =>
  `webhook: { pager: { url: https://a.example/x, secretFile: webhook-secret${more} } }`
const of = (type: string, level: Alert['level'] = 'warn') => ({ type, level })

test('the example file has all settings, and is read with its secret files', () => {
  using folder = folderWith(readFileSync(example, 'utf8'))
  const settings = loadAlerts(folder.path)
  expect(settings).toMatchObject({
    targets: [
      { name: 'me', targetType: { about: 'Telegram, chat 123456789' } },
      { name: 'phone', targetType: { about: 'ntfy at https://ntfy.sh' } },
      { name: 'pager', targetType: { about: 'webhook at https://hooks.example' } },
    ],
    repeatMs: 600_000,
    after: { doubt: 120_000, stream: 60_000, account: 60_000 },
    heartbeat: { url: secrets['heartbeat-url'], everyMs: 60_000 },
  })
  // Each secret is returned for hiding, and no target shows one.
  const text = Object.values(secrets).join(' ')
  const hidden = settings.secrets.reduce((rest, secret) => secret.hiddenIn(rest), text)
  expect(Object.values(secrets).filter((secret) => hidden.includes(secret))).toEqual([])
  const shown = inspect(settings.targets, { depth: 9 })
  expect(Object.values(secrets).filter((secret) => shown.includes(secret))).toEqual([])
})

test('a target accepts the default events from its level on, those of `also`, and none of `except`', () => {
  using folder = folderWith(readFileSync(example, 'utf8'))
  const [me, phone, pager] = loadAlerts(folder.path).targets
  const takes = (target: typeof me, type: string, level?: Alert['level']) => target?.takes(of(type, level))
  expect([takes(me, 'halted', 'error'), takes(me, 'paused'), takes(me, 'doubt-lasts', 'error')]).toEqual([
    true,
    false,
    true,
  ])
  expect([takes(phone, 'feed-stale'), takes(phone, 'fill', 'info'), takes(phone, 'resumed', 'info')]).toEqual(
    [false, true, false],
  )
  // Refusals of orders are no default event.
  expect([takes(pager, 'feed-stale'), takes(pager, 'order-refused')]).toEqual([true, false])
})

test('a mistake in the file is reported with its place and a suggestion', () => {
  expect(saidOf(webhook(', level: loud'))).toMatch(
    /alerts\.yaml:1:\d+ webhook\.pager\.level: must be one of info/,
  )
  expect(saidOf(webhook(', also: [filll]'))).toMatch(/did you mean "fill"/)
  expect(saidOf(webhook(', also: [alert-lost]'))).toContain('must be one of')
  expect(saidOf(webhook('').replace('https', 'http'))).toContain('must start with https:// unless')
  expect(saidOf(webhook('').replace('a.example', 'me:pw@a.example'))).toContain('must not contain a user')
  expect(saidOf(`${webhook('')}\nrepat: 5m`)).toMatch(/unknown key "repat", did you mean "repeat"/)
  expect(saidOf(`${webhook('')}\nrepeat: 5`)).toContain('repeat')
  expect(saidOf('repeat: 5m')).toContain('names no target')
  expect(saidOf(`${webhook('')}\nntfy: { pager: { topicFile: ntfy-topic } }`)).toContain('names pager twice')
  expect(saidOf(webhook(', secret: x'))).toContain('unknown key "secret"')
  expect(saidOf(webhook(''))).toBe('nothing')
})

test('a secret file that others can read is refused, and no error shows a secret', () => {
  const exposed = saidOf(webhook(''), (file) => chmodSync(file('webhook-secret'), 0o644))
  expect(exposed).toContain('has mode 0644')
  const missing = saidOf(webhook('').replace('webhook-secret', 'nothing'))
  expect(missing).toContain('ENOENT')
  const beat = `${webhook('')}\nheartbeat: { urlFile: heartbeat-url }`
  const plain = saidOf(beat, (file) => copyFileSync(file('webhook-secret'), file('heartbeat-url')))
  expect(plain).toMatch(/the address in heartbeat-url must be an address/)
  for (const said of [exposed, missing, plain])
    expect(Object.values(secrets).filter((secret) => said.includes(secret))).toEqual([])
})

import { readFileSync, writeFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { RunAlerts } from '#src/cli/run/run-alerts.ts'
import { Registry } from '#src/operate/metrics/registry.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { rungs, temporaryFolder } from '#test/cli/support/process.ts'
import { openedDashboard } from '#test/operate/dashboard/dashboard-fixture.ts'
import { startListener, type Listener } from '../listener.ts'
import { patience } from '#test/support/patience.ts'

const strategy = 'strategies/05-market-making.yaml'
const secret = 'webhook-secret-of-mine'
const topic = 'topic-of-mine'

function alertsFile(folder: { file: (name: string) => string }, lines: readonly string[]): string {
  writeFileSync(folder.file('secret'), secret, { mode: 0o600 })
  writeFileSync(folder.file('topic'), topic, { mode: 0o600 })
  writeFileSync(folder.file('alerts.yaml'), lines.join('\n'))
  return folder.file('alerts.yaml')
}

function heardBy({ heard }: Listener): { type: string; text: string }[] {
  return heard.map(({ body }) => JSON.parse(body))
}

/** Events of start and end; the market may cause others in between. */
function turnsIn(listener: Listener) {
  const turns = new Set(['started', 'process-ended', 'process-failed'])
  return heardBy(listener).filter(({ type, text }) => turns.has(type) || text.includes('did not shut down'))
}

test('a run reports its start and end, also after a crash, and a hanging target delays neither', async () => {
  using folder = temporaryFolder()
  await using good = await startListener()
  await using dead = await startListener('hang')
  const path = alertsFile(folder, [
    `webhook: { pager: { url: ${good.url}/x, secretFile: secret, level: info, except: [feed-stale] } }`,
    `ntfy: { phone: { url: ${dead.url}, topicFile: topic, level: info } }`,
    `heartbeat: { urlFile: beat }`,
  ])
  writeFileSync(folder.file('beat'), `${dead.url}/beat-of-mine`, { mode: 0o600 })
  const words = [strategy, '--speed', '5', '--alerts', path, '--state-dir', folder.file('state')]
  await using first = startBot(words)
  await first.said(isType('dashboard-ready'))
  await vi.waitFor(() => expect(turnsIn(good)).toMatchObject([{ type: 'started' }]), patience)
  first.kill('SIGKILL')
  await first.ended
  const tape = folder.file('a.tape')
  await using second = startBot([...words, '--record', tape])
  await second.said(isType('order-accepted'))
  await vi.waitFor(
    () =>
      expect(turnsIn(good)).toMatchObject([
        { type: 'started' },
        { type: 'alert', text: expect.stringContaining('did not shut down') },
        { type: 'started' },
      ]),
    patience,
  )
  second.kill('SIGTERM')
  expect(await second.ended).toEqual({ code: 0, signal: null })
  expect(turnsIn(good).at(-1)).toMatchObject({ type: 'process-ended', text: 'exit code 0' })
  expect(second.stderr()).toMatch(/^\d alerts? to phone failed: /m)
  // The same run without targets.
  const { code, stdout } = await rungsHere(['replay', tape, '--json'])
  expect({ code, last: JSON.parse(stdout.trim().split('\n').at(-1) ?? '') }).toMatchObject({
    code: 0,
    last: { divergence: null },
  })
  const kept = zstdDecompressSync(readFileSync(tape)).toString()
  const said = `${kept}${JSON.stringify([first.lines, second.lines])}${first.stderr()}${second.stderr()}`
  expect([secret, topic, 'beat-of-mine'].filter((each) => said.includes(each))).toEqual([])
})

test('a failed start is reported, and a file without targets is refused', async () => {
  using folder = temporaryFolder()
  await using good = await startListener()
  const path = alertsFile(folder, [`webhook: { pager: { url: ${good.url}, secretFile: secret } }`])
  writeFileSync(
    folder.file('venue.yaml'),
    'url: http://127.0.0.1:9\nkey: some-key\nsecret: some-secret\nsettle: 0s\n',
  )
  const words = ['run', strategy, '--venue', folder.file('venue.yaml'), '--state-dir', folder.file('state')]
  const ended = await rungs([...words, '--alerts', path, '--port', new URL(good.url).port])
  expect(ended.code).toBe(69)
  expect(heardBy(good)).toMatchObject([
    { type: 'process-failed', text: expect.stringContaining('The port is in use') },
  ])
  writeFileSync(path, 'repeat: 5m')
  expect(await rungsHere([...words, '--alerts', path])).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('names no target'),
  })
})

test('alerts test sends one message to each target, and prints the answers without secrets', async () => {
  using folder = temporaryFolder()
  await using good = await startListener()
  await using strict = await startListener({
    status: 401,
    body: `{"error":"${topic} is not\u001b[2J yours"}`,
  })
  const path = alertsFile(folder, [
    `webhook: { pager: { url: ${good.url}, secretFile: secret, level: error } }`,
    `ntfy: { phone: { url: ${strict.url}, topicFile: topic } }`,
  ])
  const { code, stdout, stderr } = await rungs(['alerts', 'test', path])
  expect(code).toBe(69)
  expect(stdout.replaceAll(/ {2,}/g, '  ')).toBe(
    `phone  ntfy at ${strict.url}  the target answered 401\npager  webhook at ${good.url}  told\n`,
  )
  expect(stderr).toContain('phone: {"error":"')
  expect(stderr).not.toMatch(/topic-of-mine|\p{Cc}(?!$)/u)
  expect(heardBy(good)).toMatchObject([{ type: 'test' }])
  writeFileSync(path, `webhook: { pager: { url: ${good.url}, secretFile: secret } }`)
  const all = await rungsHere(['alerts', 'test', path, '--json'])
  expect({ code: all.code, said: JSON.parse(all.stdout) }).toEqual({
    code: 0,
    said: { target: 'pager', about: `webhook at ${good.url}`, told: true, reason: null, answer: null },
  })
})

test('an error during a check is reported, and does not end the process', async () => {
  using folder = temporaryFolder()
  await using good = await startListener()
  const path = alertsFile(folder, [`webhook: { pager: { url: ${good.url}/x, secretFile: secret } }`])
  await using opened = await openedDashboard()
  const known = vi.spyOn(opened.dashboard, 'known').mockImplementation(() => {
    throw new Error('a fault of ours')
  })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const alerts = new RunAlerts(path, new Registry())
  alerts.watch(opened.dashboard, () => {}, [])
  vi.advanceTimersByTime(5000)
  await alerts.ended(0)
  vi.useRealTimers()
  known.mockRestore()
  expect(opened.broken).toMatchObject([{ message: 'a fault of ours' }])
})

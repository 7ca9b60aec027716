import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, expect, test, vi } from 'vitest'
import { Shutdown } from '#src/cli/run/shutdown.ts'
import { startBot } from '#test/runtime/support/bot-process.ts'
import { startListener } from '#test/operate/alerts/listener.ts'
import { serveBytes } from '#test/venues/whitebit/client/scripted-venue.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { environment, programWords, temporaryFolder } from '#test/cli/support/process.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('a shutdown during the start ends at once, and reports that the run did not start', async () => {
  using folder = temporaryFolder()
  const asked = Promise.withResolvers<void>()
  const silent = await serveBytes(() => asked.resolve())
  const venue = folder.file('venue.yaml')
  const tape = folder.file('start.tape')
  writeFileSync(venue, `url: ${silent.url}\nkey: some-key\nsecret: some-secret\n`)
  const words = ['--venue', venue, '--state-dir', folder.file('state'), '--record', tape]
  await using bot = startBot(['strategies/01-static-grid.yaml', ...words])
  await asked.promise
  bot.kill('SIGTERM')
  expect(await bot.ended, bot.stderr()).toEqual({ code: 0, signal: null })
  const reason = 'stopped before start'
  expect(bot.lines.at(-1)).toMatchObject({ type: 'summary', orders: 0, tookMs: 0, reason })
  expect(bot.stderr()).toBe('')
  // The tape is complete and has the unanswered call.
  const again = await rungsHere(['replay', tape, '--json'])
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(again.stdout)).toEqual({ requests: 1, matched: 1, divergence: null })
  await silent.close()
})

/** A run whose tape cannot be created: its first line exceeds the file size limit. */
function startWithoutTape(
  folder: ReturnType<typeof temporaryFolder>,
  url: string,
  more: readonly string[] = [],
) {
  const venue = folder.file('venue.yaml')
  const strategy = folder.file('long.yaml')
  writeFileSync(venue, `url: ${url}\nkey: some-key\nsecret: some-secret\n`)
  const long = `${'# long\n'.repeat(18_000)}${readFileSync('strategies/01-static-grid.yaml', 'utf8')}`
  writeFileSync(strategy, long)
  const words = ['--venue', venue, '--state-dir', folder.file('state'), '--record', folder.file('start.tape')]
  return startBot([strategy, ...words, ...more], { fileKilobytes: 112 })
}

const noTape = String.raw`TAPE_NOT_WRITTEN: .*\.partial failed \(EFBIG, .+\); it ends before line 1\n.+\n`

test('an unwritable tape is reported even if the run did not start', async () => {
  using folder = temporaryFolder()
  const asked = Promise.withResolvers<void>()
  const silent = await serveBytes(() => asked.resolve())
  await using bot = startWithoutTape(folder, silent.url)
  await Promise.race([asked.promise, bot.ended])
  bot.kill('SIGTERM')
  expect(await bot.ended, bot.stderr()).toEqual({ code: 78, signal: null })
  expect(bot.lines.at(-1)).toMatchObject({ type: 'summary', reason: 'stopped before start' })
  expect(bot.stderr()).toMatch(new RegExp(`^${noTape}$`))
  await silent.close()
})

test('the reason for the end of a run is printed before errors of the shutdown', async () => {
  using folder = temporaryFolder()
  await using pager = await startListener()
  const alerts = folder.file('alerts.yaml')
  writeFileSync(alerts, `webhook: { pager: { url: ${pager.url}, secretFile: secret } }\n`)
  writeFileSync(folder.file('secret'), 'a-secret-of-the-pager', { mode: 0o600 })
  await using bot = startWithoutTape(folder, 'http://127.0.0.1:1', ['--alerts', alerts])
  expect(await bot.ended, bot.stderr()).toEqual({ code: 69, signal: null })
  expect(bot.stderr()).toMatch(new RegExp(`^VENUE_UNREACHABLE: .+\n.+\n${noTape}$`))
  expect(JSON.parse(pager.heard.at(-1)?.body ?? '')).toMatchObject({
    type: 'process-failed',
    text: expect.stringContaining('The venue does not answer'),
  })
})

test('a run ends with an error if its output cannot be written', async () => {
  using folder = temporaryFolder()
  const full = openSync('/dev/full', 'w')
  const words = ['run', 'strategies/01-static-grid.yaml', '--state-dir', folder.path]
  const child = spawn(process.execPath, programWords(words), {
    env: environment({}),
    stdio: ['ignore', full, 'pipe'],
  })
  closeSync(full)
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  expect(await once(child, 'close')).toEqual([1, null])
  expect(stderr).toBe('The output cannot be written (ENOSPC).\n')
})

test('a forced exit does not report success', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const before = new Set(signals.flatMap((signal) => process.listeners(signal)))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it must not exit here
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  const said = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  vi.useFakeTimers()
  const ending = new Shutdown()
  ending.end()
  await ending.requested
  expect(exit).not.toHaveBeenCalled()
  vi.runAllTimers()
  expect(exit).toHaveBeenCalledWith(75)
  expect(said.mock.calls.join()).toContain('CUT_SHORT')
  for (const signal of signals) {
    for (const listener of process.listeners(signal)) if (!before.has(listener)) process.off(signal, listener)
  }
})

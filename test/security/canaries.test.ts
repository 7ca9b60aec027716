import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startListener } from '#test/operate/alerts/listener.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { environment, programWords, temporaryFolder } from '#test/cli/support/process.ts'
import { searchFor } from './canary.ts'

/** With signs that each encoding writes in another way. */
const canaryOf = (name: string) => `Canary+of/${name}="q7\\x%41~`
const canaries = {
  key: canaryOf('key'),
  secret: canaryOf('secret'),
  variable: canaryOf('variable'),
  code: canaryOf('code'),
  // At most 25 letters.
  passphrase: 'Canary+/="\\%41~pass',
  telegram: 'Canary123:telegram-token',
  topic: 'Canary-topic-of-ntfy',
  ntfy: canaryOf('ntfy-token'),
  webhook: canaryOf('webhook-secret'),
  heartbeat: 'Canary-path-of-heartbeat',
}

/** All that the processes of a run write, by where it stands. */
class Outputs {
  readonly all: { where: string; bytes: Uint8Array }[] = []
  readonly #env: NodeJS.ProcessEnv

  constructor(more: NodeJS.ProcessEnv) {
    this.#env = environment(more)
  }

  add(where: string, bytes: Uint8Array | string): void {
    this.all.push({ where, bytes: Buffer.from(bytes) })
  }

  start(words: readonly string[]): {
    child: ChildProcess
    ended: Promise<number | null>
    stdout: () => string
  } {
    const child = spawn(process.execPath, programWords(words), {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text))
    const ended = new Promise<number | null>((resolve) => {
      child.once('close', (code) => {
        for (const name of ['stdout', 'stderr'] as const)
          this.add(`${name} of rungs ${words.slice(0, 2).join(' ')}`, said[name])
        resolve(code)
      })
    })
    return { child, ended, stdout: () => said.stdout }
  }

  async rungs(words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<void> {
    const { stdout, stderr } = await rungsHere(words, more)
    this.add(`stdout of rungs ${words.slice(0, 2).join(' ')}`, stdout)
    this.add(`stderr of rungs ${words.slice(0, 2).join(' ')}`, stderr)
  }

  /** Every file of a folder but those whose purpose it is to hold a secret. */
  addFolder(folder: string, except: readonly string[] = []): void {
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile() && !except.includes(entry.name) && !path.includes('/cache/'))
        this.add(path, readFileSync(path))
    }
  }
}

/** As a scalar in quotes. */
function yaml(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const control = z.object({ url: z.string(), token: z.string() })

test('no secret of a whole run is in any byte that the run writes', async () => {
  using folder = temporaryFolder()
  const file = (name: string, text: string) => {
    writeFileSync(folder.file(name), text, { mode: 0o600 })
    return folder.file(name)
  }
  await using phone = await startListener({ status: 200, body: '{"ok":true,"id":"a"}' })
  for (const [name, text] of Object.entries(canaries)) file(name, text)
  file('heartbeat', `${phone.url}/${canaries.heartbeat}`)
  const world = file(
    'world.yaml',
    readFileSync('config/exchange.yaml', 'utf8').replace(
      '{ key: paper-key, secret: paper-secret,',
      `{ key: ${yaml(canaries.key)}, secret: ${yaml(canaries.secret)},`,
    ),
  )
  const alerts = file(
    'alerts.yaml',
    `telegram: { me: { url: ${phone.url}, chat: '1', tokenFile: telegram, level: info, also: [order-accepted] } }
ntfy: { it: { url: ${phone.url}, topicFile: topic, tokenFile: ntfy, also: [order-accepted] } }
webhook: { hook: { url: ${phone.url}, secretFile: webhook, also: [order-accepted] } }
heartbeat: { urlFile: heartbeat, every: 1s }
`,
  )
  // Crash reports, asked for by a signal.
  const reports = `--report-on-signal --report-directory=${folder.file('state')}`
  const outputs = new Outputs({ NODE_OPTIONS: reports, SOME_TOKEN: canaries.variable })
  const exchange = outputs.start([
    'exchange',
    '--port',
    '0',
    '--profile',
    'full',
    '--market',
    'seeded',
    '--world',
    world,
    '--data',
    folder.file('data'),
  ])
  await expect.poll(exchange.stdout).toContain('\n')
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(exchange.stdout().split('\n')[0] ?? ''))
  const venue = file(
    'venue.yaml',
    `url: ${url}\nkeyFile: key\nsecretFile: secret\nclientIds: forever\nsettle: 0s\n`,
  )
  const [state, tape] = [folder.file('state'), folder.file('run.tape')]
  const run = ['run', 'strategies/01-static-grid.yaml', '--venue', venue, '--state-dir', state]
  const bot = outputs.start([...run, '--alerts', alerts, '--record', tape, '--json'])
  await expect.poll(bot.stdout).toContain('"order-accepted"')
  const { url: desk, token } = control.parse(JSON.parse(readFileSync(join(state, 'control.json'), 'utf8')))
  const headers = { authorization: `Bearer ${token}` }
  for (const path of [
    'status',
    'metrics',
    'why?what=sgrid.grid.b1',
    'candles?market=BTC_PERP&bar=1m',
    'proof?nonce=aaaaaaaaaaaaaaaaaaaaaaaa',
    '',
  ])
    outputs.add(`dashboard /${path}`, await (await fetch(`${desk}/${path}`, { headers })).text())
  const ending = new AbortController()
  const stream = await fetch(`${desk}/events`, { headers, signal: ending.signal })
  for await (const chunk of stream.body ?? []) {
    outputs.add('dashboard /events', chunk)
    // The first one holds all tables and the log.
    break
  }
  ending.abort()
  const at = ['--venue', venue, '--state-dir', state]
  const commands = [
    ['status', '--state-dir', state],
    ['status', '--json', '--state-dir', state],
    ['why', 'sgrid.grid.b1', '--state-dir', state],
    ['logs', '--json', '--level', 'debug', '--state-dir', state],
    ['doctor', ...at],
    ['api', 'main-balance', ...at],
    ['api', 'main-balance', '--dry-run', '--json', ...at],
    [
      'api',
      'create-code',
      '--ticker',
      'USDT',
      '--amount',
      '1',
      '--passphrase',
      `@${folder.file('passphrase')}`,
      '--dry-run',
      ...at,
    ],
    [
      'api',
      'apply-code',
      '--code',
      `@${folder.file('code')}`,
      '--passphrase',
      `@${folder.file('passphrase')}`,
      '--yes',
      ...at,
    ],
    ['alerts', 'test', alerts],
    // Each of these is refused.
    ['run', '--api-secret', canaries.secret, 'strategies/01-static-grid.yaml'],
    ['api', 'apply-code', '--code', canaries.code, '--url', url],
    [
      'run',
      'strategies/01-static-grid.yaml',
      '--venue',
      file('bad.yaml', `url: ${url}\nkeyFile: key\nsecret: ${yaml(canaries.secret)}\nsetle: 0s\n`),
    ],
    [
      'exchange',
      '--world',
      file(
        'bad-world.yaml',
        readFileSync(world, 'utf8').replace(
          'permissions: [read, trade, funds, account]',
          'permissions: [all]',
        ),
      ),
    ],
  ]
  for (const words of commands) await outputs.rungs(words)
  // With key and secret from the environment, which the venue refuses.
  const variables = { RUNGS_SECRET: canaries.variable, RUNGS_KEY: canaries.variable }
  await outputs.rungs(['doctor', '--venue', venue, '--state-dir', folder.file('other')], variables)
  await phone.until(4)
  bot.child.kill('SIGUSR2')
  await expect.poll(() => readdirSync(state).some((name) => name.startsWith('report.'))).toBe(true)
  bot.child.kill('SIGTERM')
  expect(await bot.ended).toBe(0)
  exchange.child.kill('SIGTERM')
  expect(await exchange.ended).toBe(0)

  outputs.add(tape, readFileSync(tape))
  outputs.addFolder(state, ['token', 'control.json'])
  // Its address or its headers hold the secret of a target: the body never does, except for the topic of ntfy.
  for (const { body } of phone.heard) outputs.add('alert', body.replace(`"topic":"${canaries.topic}"`, ''))

  const search = searchFor([...Object.values(canaries), token])
  const leaks = outputs.all.flatMap(({ where, bytes }) =>
    search(bytes).map((secret) => `${where}: ${secret}`),
  )
  // `rungs dashboard` and nothing else prints the link with the token.
  expect(leaks).toEqual([])
  const places = outputs.all.map(({ where }) => where)
  for (const place of [
    'stdout of rungs run',
    'stderr of rungs api',
    'dashboard /metrics',
    'alert',
    'report.',
    'journal.sqlite',
    'run.tape',
    '.ndjson',
    'nonce-',
  ])
    expect(
      places.some((where) => where.includes(place)),
      place,
    ).toBe(true)
  // The canaries were in use.
  expect(phone.heard.some(({ path }) => path.includes(canaries.telegram))).toBe(true)
})

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { bundleFlags } from '#test/cli/support/bundled-program.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { environment, launcher, startExchange, temporaryFolder } from '#test/cli/support/process.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const outside = folder.file('outside')
mkdirSync(outside)
writeFileSync(join(outside, 'secret'), 'of another program', { mode: 0o600 })

/** Documented in SECURITY.md: the limits do not apply to Node's SQLite. */
const hole = 'open a database outside'

/** Attempts of a malicious dependency, with the error of each. */
const attempts = `
  const { appendFileSync, readFileSync, writeFileSync, mkdirSync, symlinkSync, readdirSync } = await import('node:fs')
  const { spawnSync, execFileSync, fork } = await import('node:child_process')
  const { default: inspector } = await import('node:inspector')
  const { Worker } = await import('node:worker_threads')
  const { DatabaseSync } = await import('node:sqlite')
  const [outside, hole] = ${JSON.stringify([outside, hole])}
  const tries = {
    'read /etc/passwd': () => readFileSync('/etc/passwd'),
    'read a file of the same user': () => readFileSync(outside + '/secret'),
    'read the environment of a process': () => readFileSync('/proc/self/environ'),
    'list a folder': () => readdirSync(outside),
    'write a file': () => writeFileSync(outside + '/planted', ''),
    'change the code of the bot': () => appendFileSync(${JSON.stringify(launcher)}, ''),
    'make a folder': () => mkdirSync(outside + '/planted'),
    'link to a folder outside': () => symlinkSync(outside, process.env.STATE + '/link'),
    [hole]: () => new DatabaseSync(outside + '/planted.sqlite').close(),
    'start a program': () => { const { error } = spawnSync('true'); if (error) throw error },
    'start a shell': () => execFileSync('/bin/sh', ['-c', 'true']),
    'start a Node': () => fork('x.mjs'),
    'replace the process': () => process.execve('/bin/true', ['true']),
    'open the inspector': () => inspector.open(0),
    'start a thread': () => new Worker('', { eval: true, execArgv: [] }),
    'load an addon': () => process.dlopen({ exports: {} }, outside + '/addon.node'),
    'set a prototype': () => {
      const copy = Object.assign({}, JSON.parse('{"__proto__":{"isAdmin":true}}'))
      if (copy.isAdmin !== true) throw Object.assign(new Error(), { code: 'ERR_ACCESS_DENIED' })
    },
  }
  const told = {}
  for (const [name, attempt] of Object.entries(tries)) {
    try { attempt(); told[name] = 'done' } catch (error) { told[name] = error.code ?? error.message }
  }
  process.stderr.write('attempts ' + JSON.stringify(told) + String.fromCharCode(10))
`
/** Loaded before the bot; waits until the bot trades. */
const poison = `data:text/javascript,${encodeURIComponent(
  `if (process.permission) process.once('SIGUSR2', async () => { ${attempts} })`,
)}`

type Told = { stdout: string; stderr: string; code: number | null }

/** Runs `rungs run` until it has printed both patterns; sends a signal at the first. */
function traded(
  words: readonly string[],
  more: NodeJS.ProcessEnv,
  { node = [], signal = 'SIGTERM' }: { node?: readonly string[]; signal?: NodeJS.Signals } = {},
): Promise<Told> {
  const child = spawn(process.execPath, [...node, launcher, 'run', ...words], { env: environment(more) })
  let [stdout, stderr, isAsked] = ['', '', false]
  const look = () => {
    if (stdout.includes('"order-accepted"') && !isAsked) {
      isAsked = true
      child.kill(signal)
    }
    if (stderr.includes('attempts ')) child.kill('SIGTERM')
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    look()
  })
  return new Promise((done) => {
    child.once('close', (code) => done({ stdout, stderr, code }))
  })
}

// It places orders at any price of the market.
const strategy = resolve('strategies/05-market-making.yaml')

test('code in a trading process cannot read or write other files, or start programs', async () => {
  const state = folder.file('state')
  mkdirSync(state, { mode: 0o700 })
  // The name begins like that of the state folder, which Node 26 confuses in its permissions.
  writeFileSync(folder.file('state.yaml'), readFileSync(strategy))
  const words = [folder.file('state.yaml'), '--json', '--state-dir', state]
  const { stderr, code } = await traded(
    words,
    { STATE: state },
    { node: ['--import', poison], signal: 'SIGUSR2' },
  )
  const [, told = '{}'] = /^attempts (.*)$/m.exec(stderr) ?? []
  const results = z.record(z.string(), z.string()).parse(JSON.parse(told))
  expect(Object.keys(results).length).toBeGreaterThan(15)
  const { [hole]: left, ...others } = results
  for (const [name, result] of Object.entries(others))
    expect(result, name).toMatch(/^ERR_(?:ACCESS_DENIED|DLOPEN_DISABLED)$/)
  expect(left).toBe('done')
  expect(code).toBe(0)
  expect(existsSync(join(outside, 'planted'))).toBe(false)
})

test('a trading process reads every file that the operator names, and writes its tape', async () => {
  await using exchange = await startExchange(['--profile', 'full', '--market', 'seeded'])
  const [keys, mine] = [folder.file('keys'), folder.file('mine')]
  for (const path of [keys, mine]) mkdirSync(path)
  for (const name of ['key', 'secret']) writeFileSync(join(keys, name), `paper-${name}`, { mode: 0o600 })
  const credentials = `keyFile: ../keys/key\nsecretFile: ${join(keys, 'secret')}\n`
  const venue = `url: ${exchange.url}\n${credentials}clientIds: forever\nsettle: 0s\n`
  writeFileSync(join(mine, 'venue.yaml'), venue)
  writeFileSync(join(mine, 'base.yaml'), readFileSync(strategy))
  writeFileSync(join(mine, 'grid.yaml'), 'version: 1\nname: mine\nextends: base.yaml\n')
  writeFileSync(join(keys, 'topic'), 'a-topic-of-ntfy', { mode: 0o600 })
  writeFileSync(
    join(mine, 'alerts.yaml'),
    `ntfy: { phone: { url: ${exchange.url}, topicFile: ../keys/topic } }\n`,
  )
  const state = folder.file('missing/above/state')
  const tape = folder.file('run.tape')
  const files = [
    '--venue',
    join(mine, 'venue.yaml'),
    `--alerts=${join(mine, 'alerts.yaml')}`,
    '--record',
    tape,
    `--signals=${join(mine, 'signals')}`,
  ]
  writeFileSync(join(mine, 'signals'), '')
  writeFileSync(join(keys, 'token'), 'a-token-of-a-chart-0042', { mode: 0o600 })
  const { stderr, code } = await traded([join(mine, 'grid.yaml'), '--json', '--state-dir', state, ...files], {
    RUNGS_SIGNAL_TOKEN_FILE: join(keys, 'token'),
  })
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(statSync(tape).size).toBeGreaterThan(1000)
  expect(existsSync(join(state, 'journal.sqlite'))).toBe(true)
  expect(statSync(state).mode & 0o777).toBe(0o700)
})

test('a trading process decompresses a file of prices without a thread', () => {
  const packed = folder.file('prices.csv.gz')
  writeFileSync(packed, gzipSync('time,price\n'.repeat(100_000)))
  const read = `import { openBytes } from '#src/market/data/bytes/open-bytes.ts'
    const bytes = openBytes(${JSON.stringify(packed)})
    const into = new Uint8Array(4096)
    let all = 0
    for (let length = -1; length !== 0; all += length) length = bytes.read(into, 0)
    process.stdout.write(String(all))`
  const words = ['--permission', '--allow-fs-read=*', '--input-type=module', '-e', read]
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect(stdout).toBe('1100000')
})

test('RUNGS_PERMISSION=off runs without confinement', async () => {
  const state = folder.file('open')
  const report = `data:text/javascript,process.stderr.write('confined ' + (process.permission !== undefined) + '\\n')`
  const reporting = [...bundleFlags(), '--import', report]
  const words = [strategy, '--json', '--state-dir', state]
  const open = await traded(words, { RUNGS_PERMISSION: 'off' }, { node: reporting })
  expect(open).toMatchObject({ stderr: 'confined false\n', code: 0 })
  // The launcher, then the trading process.
  const confined = await traded(words, {}, { node: reporting })
  expect(confined).toMatchObject({ stderr: 'confined false\nconfined true\n', code: 0 })
})

test('the launcher knows every flag of run with a value', async () => {
  const { stdout } = await rungsHere(['run', '--help'])
  const flags = [...stdout.matchAll(/^ +--([a-z-]+) <\w+>/gm)].map(([, name = '']) => name)
  const source = readFileSync('src/confined.mjs', 'utf8')
  const [, list = ''] = /valueFlags = new Set\(\[(.*?)\]\)/s.exec(source) ?? []
  expect([...list.matchAll(/'([a-z-]+)'/g)].map(([, name = '']) => name).toSorted()).toEqual(flags.toSorted())
})

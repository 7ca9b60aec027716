import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { fingerprintOf } from '#src/cli/files/state-folder.ts'
import { makeFolder } from '#src/core/disk/folder.ts'
import { holdFolder } from '#src/journal/sqlite/folder-lock.ts'
import { loadVenueFile } from '#src/venues/whitebit/settings/venue-file.ts'
import { exchangeHere, type ExchangeHere } from '#test/cli/support/exchange-here.ts'
import { rungsHere } from '#test/cli/support/in-process.ts'
import { environment, programWords, temporaryFolder } from '#test/cli/support/process.ts'
import { isType, startBot } from '#test/runtime/support/bot-process.ts'

const folder = temporaryFolder()
let exchange: ExchangeHere
beforeAll(async () => {
  exchange = await exchangeHere(['--profile', 'full', '--market', 'seeded', '--spelling', 'camel'])
})
afterAll(async () => {
  await exchange.end()
  folder[Symbol.dispose]()
})

const answer = z.object({
  ok: z.literal(true),
  results: z.array(z.looseObject({ about: z.string(), value: z.string().nullable() })),
  written: z.object({ file: z.string(), keys: z.array(z.string()) }),
})

function venueFile(name: string, more = ''): string {
  const path = folder.file(`${name}.yaml`)
  const about = `url: ${exchange.url}\nspelling: spec # as delivered\nkey: paper-key\nsecret: paper-secret\n`
  writeFileSync(path, `# My venue.\n${about}${more}`)
  return path
}

function probe(venue: string, ...words: string[]) {
  return rungsHere(['doctor', '--probe', '--venue', venue, '--state-dir', folder.file('state'), ...words])
}

test('writes a copy of the venue file with what it found, and never over a file without being told', async () => {
  const venue = venueFile('venue')
  const found = folder.file('found.yaml')
  writeFileSync(found, 'mine')
  const refused = await probe(venue, '--yes', '--write', found)
  expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('--overwrite') })
  expect(readFileSync(found, 'utf8')).toBe('mine')

  const { code, stdout, stderr } = await probe(venue, '--yes', '--json', '--write', found, '--overwrite')
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(
      /The most money at risk is \d+\.\d\d USDT\. The probe ends with no order open/,
    ),
  })
  const { results, written } = answer.parse(JSON.parse(stdout))
  const value = (topic: string) => results.find(({ about }) => about === topic)?.value
  expect([value('spelling'), value('postOnlyCross'), value('clientIds')]).toEqual([
    'camel',
    'refused',
    'forever',
  ])
  expect(written.keys.toSorted()).toEqual([
    'batchMax',
    'clientIds',
    'nonce',
    'settle',
    'spelling',
    'stopOnFailAnswer',
  ])
  const settings = loadVenueFile({ path: found, environment: {} })
  expect(settings.settleMs).toBeGreaterThanOrEqual(10_000)
  expect(settings).toMatchObject({
    url: exchange.url,
    spelling: 'camel',
    nonce: 'window',
    // A later probe could still see an id forgotten.
    clientIds: 'until-ended',
    stopOnFailAnswer: 'included',
    batchMax: 20,
  })
  expect(readFileSync(found, 'utf8')).toMatch(/^# My venue\.$/m)
  expect(readFileSync(venue, 'utf8')).toContain('spelling: spec # as delivered')
  expect(existsSync(folder.file(`state/probe-${fingerprintOf('paper-key')}.json`))).toBe(false)
})

test('places nothing without a yes, and states the money at risk before', async () => {
  const { code, stdout, stderr } = await probe(venueFile('asked'))
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' })
  expect(stderr).toMatch(/places and cancels about \d+ small orders at .* in the market SOL_PERP/)
  expect(stderr).toContain('pass --yes in a script')
})

test('refuses real orders without --live, and names the account', async () => {
  const venue = folder.file('live.yaml')
  writeFileSync(venue, 'url: https://api.venue.example\nkeyEnv: A_KEY\nsecretEnv: A_SECRET\n')
  const words = ['doctor', '--probe', '--yes', '--venue', venue, '--state-dir', folder.file('state')]
  const keys = { A_KEY: 'paper-key', A_SECRET: 'paper-secret' }
  expect(await rungsHere(words, keys)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('without --live'),
  })
  const named = await rungsHere([...words, '--live'], keys)
  expect(named.stderr).toContain(`account: ${fingerprintOf('paper-key')}`)
})

test('cancels the orders of earlier probes and no others', async () => {
  const venue = venueFile('clean')
  const place = (id: string) =>
    rungsHere(
      `api collateral-limit --market SOL_PERP --side buy --amount 0.1 --price 90 --client-order-id ${id} --yes`
        .split(' ')
        .concat(['--venue', venue, '--state-dir', folder.file('state')]),
    )
  expect([(await place('rungs-probe-tk1a-id')).code, (await place('by-hand')).code]).toEqual([0, 0])
  const { code, stdout } = await probe(venue, '--clean')
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Orders cancelled: 1. No order of a probe is open.\n' })
  const open = await rungsHere(['api', 'open-orders', '--venue', venue, '--state-dir', folder.file('state')])
  expect(open.stdout).toContain('by-hand')
  expect(open.stdout).not.toContain('rungs-probe')
})

test('refuses a nonce far ahead of the time', async () => {
  const state = folder.file('ahead')
  const venue = venueFile('ahead')
  // Writes the nonce file.
  await rungsHere(['api', 'trading-balance', '--venue', venue, '--state-dir', state])
  const path = `${state}/nonce-${fingerprintOf('paper-key')}.json`
  writeFileSync(path, JSON.stringify({ ceiling: 4_000_000_000_000, recent: [] }))
  const { code, stderr } = await rungsHere([
    'doctor',
    '--probe',
    '--yes',
    '--venue',
    venue,
    '--state-dir',
    state,
  ])
  expect({ code, stderr }).toEqual({
    code: 75,
    stderr: expect.stringMatching(/the last nonce of this key is \d+ s ahead/),
  })
})

test('refuses to run beside a bot, in its folder or with its account', async () => {
  const state = folder.file('bot')
  const venue = venueFile('bot', 'settle: 0s\n')
  await using bot = startBot(['strategies/01-static-grid.yaml', '--venue', venue, '--state-dir', state])
  await bot.said(isType('order-accepted'))
  const beside = await rungsHere(['doctor', '--probe', '--yes', '--venue', venue, '--state-dir', state])
  expect(beside).toMatchObject({
    code: 75,
    stderr: expect.stringMatching(`process \\d+ runs sgrid in ${state}`),
  })
  const elsewhere = await probe(venueFile('strict'), '--yes')
  expect(elsewhere).toMatchObject({ code: 75, stderr: expect.stringContaining('have ids of rungs run') })
})

test('a flag of the probe is refused without --probe', async () => {
  const { code, stderr } = await rungsHere(['doctor', '--clean'])
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('--probe') })
})

test('a probe that a signal stops says so, writes no venue file, and leaves no order', async () => {
  const found = folder.file('half.yaml')
  // An account without the orders of the other tests.
  await using empty = await exchangeHere(['--profile', 'full', '--market', 'seeded', '--spelling', 'camel'])
  const venue = folder.file('stopped.yaml')
  writeFileSync(venue, `url: ${empty.url}\nspelling: camel\nkey: paper-key\nsecret: paper-secret\n`)
  const words = [
    'doctor',
    '--probe',
    '--yes',
    '--venue',
    venue,
    '--write',
    found,
    '--state-dir',
    folder.file('stop'),
  ]
  const child = spawn(process.execPath, programWords(words), { env: environment({}) })
  let [stderr, isAsked] = ['', false]
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    if (isAsked || !stderr.includes('\n- ')) return
    isAsked = true
    // Terminal and launcher both send one.
    for (const signal of ['SIGINT', 'SIGINT'] as const) child.kill(signal)
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ code, stderr }).toEqual({
    code: 75,
    stderr: expect.stringContaining(`Stopped: some questions were not tried, and ${found} was not written.`),
  })
  expect(existsSync(found)).toBe(false)
  const { stdout } = await rungsHere(['api', 'open-orders', '--venue', venue, '--state-dir', folder.path])
  expect(stdout).toBe('Nothing.\n')
})

test('--write is refused beside --clean, which finds nothing out', async () => {
  const ended = await probe(venueFile('unused'), '--clean', '--write', folder.file('found.yaml'))
  expect(ended).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('--write has no effect with --clean'),
  })
})

test('reports an address without a listener as unreachable, not as orders that may be open', async () => {
  const venue = folder.file('nowhere.yaml')
  writeFileSync(venue, 'url: http://127.0.0.1:9\nkey: paper-key\nsecret: paper-secret\n')
  const { code, stderr } = await probe(venue, '--yes')
  expect({ code, stderr }).toEqual({ code: 69, stderr: expect.not.stringContaining('may be open') })
})

test('a second probe is refused while one runs in the folder, and leaves its orders alone', async () => {
  const state = folder.file('twice')
  makeFolder(state)
  const venue = venueFile('twice')
  using first = new DisposableStack()
  first.use(holdFolder(state))
  for (const more of [['--yes'], ['--clean']]) {
    const second = await rungsHere(['doctor', '--probe', ...more, '--venue', venue, '--state-dir', state])
    const stderr = expect.stringMatching(/^DATA_BUSY: .*process \d+ holds/)
    expect(second).toMatchObject({ code: 75, stdout: '', stderr })
  }
})

test('writes over its own venue file under no flag', async () => {
  const venue = venueFile('own')
  const before = readFileSync(venue, 'utf8')
  const ended = await probe(venue, '--yes', '--write', venue, '--overwrite')
  expect(ended).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('the venue file of the probe itself'),
  })
  expect(readFileSync(venue, 'utf8')).toBe(before)
})
